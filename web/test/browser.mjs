// What every browser test needs: a Chromium, a page that is watched for anything that must not happen.
import { chromium } from 'playwright-core'

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags })

/**
 * Opens a page of its own profile. `watch.faults` collects errors on the console, exceptions, violations of the
 * policy and requests to other origins. `allowed`: patterns of console lines that a test brings about on purpose.
 */
export async function open(browser, url, { allowed = [], ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const origin = new URL(url).origin
  const faults = []
  const add = (text) => allowed.some((pattern) => pattern.test(text)) || faults.push(text)
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && add(`console: ${message.text()} ${message.location().url}`))
  page.on('pageerror', (error) => add(`exception: ${error.stack}`))
  page.on('request', (request) => {
    const to = request.url()
    if (!to.startsWith(`${origin}/`) && !to.startsWith('data:') && !to.startsWith('blob:')) add(`elsewhere: ${to}`)
  })
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`))
  })
  return { page, context, faults }
}

/** The browser itself reports a 401 as an error; the first question "who am I?" of a signed-out page is one. */
export const signedOut = /Failed to load resource.*401/

export const composer = (page) => page.getByRole('textbox', { name: 'Message', exact: true })
export const answers = (page) => page.getByRole('article', { name: 'Confidant' })
export const questions = (page) => page.getByRole('article', { name: 'You' })

export async function ask(page, text) {
  await composer(page).fill(text)
  await composer(page).press('Enter')
}

/** The last answer, once it is whole. */
export async function answered(page, timeout = 60_000) {
  const last = answers(page).last()
  await last.and(page.locator('[aria-busy="false"]')).waitFor({ timeout })
  return last
}

export async function signIn(page, { url, token }) {
  await page.goto(`${url}/#token=${encodeURIComponent(token)}`)
  await composer(page).waitFor()
}
