// Runs the tests of real clients against the built binary with the scripted model behind it, and those of the page
// against one without any model: npm run test:clients
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { start } from './server.mjs'

const here = import.meta.dirname

async function against(options, ...files) {
  const server = await start(options)
  try {
    const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=1', ...files.map((file) => join(here, file))], {
      stdio: 'inherit',
      env: { ...process.env, CONFIDANT_URL: server.url, CONFIDANT_TOKEN: server.token },
    })
    return status === 0
  } finally {
    await server.close()
  }
}

const clients = await against({ model: true }, 'formats.test.mjs', 'openai.test.mjs', 'ws.test.mjs')
const page = await against({ model: false }, '../test/page.test.mjs')
const memory = await against({ model: false }, 'memory.test.mjs')
const library = await against({ model: false }, 'library.test.mjs')
process.exitCode = clients && page && memory && library ? 0 : 1
