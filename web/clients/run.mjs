// Runs the tests of real clients, and the page's own, against one running server: npm run test:clients
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { start } from './server.mjs'

const here = import.meta.dirname
const server = await start()
try {
  const { status } = spawnSync(
    process.execPath,
    ['--test', '--test-concurrency=1', join(here, 'formats.test.mjs'), join(here, 'openai.test.mjs'), join(here, 'ws.test.mjs'), join(here, '../test/page.test.mjs')],
    { stdio: 'inherit', env: { ...process.env, CONFIDANT_URL: server.url, CONFIDANT_TOKEN: server.token } },
  )
  process.exitCode = status ?? 1
} finally {
  await server.close()
}
