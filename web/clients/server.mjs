// Starts the built binary on an empty folder, with the scripted model server behind it, and stops both.
import { spawn, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const binary = process.env.CONFIDANT_BINARY ?? join(root, 'bin/confidant')

/** A port of this machine that was free a moment ago. */
async function freePort() {
  const server = createServer()
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address()
  await new Promise((closed) => server.close(closed))
  return port
}

async function ready(url, process) {
  for (let tries = 0; tries < 400; tries++) {
    if (process.exitCode !== null) throw new Error(`the process ended with ${process.exitCode} before ${url} answered`)
    try {
      if ((await fetch(url)).ok) return
    } catch {
      // not listening yet
    }
    await new Promise((later) => setTimeout(later, 50))
  }
  throw new Error(`${url} did not answer within 20 s`)
}

async function startModel(folder) {
  const binary = join(folder, 'modelserver')
  execFileSync('go', ['build', '-o', binary, './internal/llm/modelserver/cmd'], { cwd: root })
  const port = await freePort()
  const process = spawn(binary, ['--listen', `127.0.0.1:${port}`, '--pace', '30ms'], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}/v1`
  await ready(`${url}/models`, process)
  return { process, url }
}

/**
 * With a model the scripted model server answers; without, nothing is configured and recordings are quoted.
 * @returns {Promise<{url: string, token: string, close(): Promise<void>}>}
 */
export async function start({ model: withModel }) {
  const data = mkdtempSync(join(tmpdir(), 'confidant-clients-'))
  const model = withModel ? await startModel(data) : undefined
  const port = await freePort()
  const server = spawn(binary, ['serve', '--data', join(data, 'data'), '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, OPENAI_BASE_URL: model?.url ?? '', OPENAI_API_KEY: model ? 'scripted' : '' },
  })
  const url = `http://127.0.0.1:${port}`
  await ready(`${url}/readyz`, server)
  const token = execFileSync(binary, ['token', '--data', join(data, 'data')], { encoding: 'utf8' }).trim()
  return {
    url,
    token,
    async close() {
      for (const process of [server, model?.process].filter(Boolean)) {
        const gone = new Promise((exit) => process.on('exit', exit))
        process.kill('SIGTERM')
        await gone
      }
      rmSync(data, { recursive: true, force: true })
    },
  }
}
