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

/** @returns {Promise<{url: string, token: string, close(): Promise<void>}>} */
export async function start() {
  const data = mkdtempSync(join(tmpdir(), 'confidant-clients-'))
  const modelBinary = join(data, 'modelserver')
  execFileSync('go', ['build', '-o', modelBinary, './internal/llm/modelserver/cmd'], { cwd: root })
  const modelPort = await freePort()
  const port = await freePort()
  const model = spawn(modelBinary, ['--listen', `127.0.0.1:${modelPort}`, '--pace', '30ms'], { stdio: 'ignore' })
  await ready(`http://127.0.0.1:${modelPort}/v1/models`, model)
  const server = spawn(binary, ['serve', '--data', join(data, 'data'), '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, OPENAI_BASE_URL: `http://127.0.0.1:${modelPort}/v1`, OPENAI_API_KEY: 'scripted' },
  })
  const url = `http://127.0.0.1:${port}`
  await ready(`${url}/readyz`, server)
  const token = execFileSync(binary, ['token', '--data', join(data, 'data')], { encoding: 'utf8' }).trim()
  return {
    url,
    token,
    async close() {
      for (const process of [server, model]) {
        const gone = new Promise((exit) => process.on('exit', exit))
        process.kill('SIGTERM')
        await gone
      }
      rmSync(data, { recursive: true, force: true })
    },
  }
}
