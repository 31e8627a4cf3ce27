/** `console` with a real `antichain serve` behind its public address, and in a real browser. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '../find-free-port.ts'
import { type BreakableProxy, startBreakableProxy } from './breakable-proxy.ts'
import { describeWithBrowser, launchBrowser, openWatchedPage } from './browser.ts'
import {
  createSandbox,
  requireSuccess,
  type RunningCommand,
  type Sandbox,
  waitUntil,
} from './sandbox.ts'
import { startOnTerminal } from './terminal.ts'

let sandbox: Sandbox
let serving: RunningCommand
let publicProxy: BreakableProxy
let browser: Browser
let serverUrl = ''
let token = ''

describeWithBrowser('console', () => {
  beforeAll(async () => {
    sandbox = createSandbox('small')
    requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
    const port = await findFreePort()
    serverUrl = `http://127.0.0.1:${port}`
    publicProxy = await startBreakableProxy(serverUrl)
    serving = sandbox.start(['serve', '--port', String(port), '--public-url', publicProxy.url])
    await waitUntil(() => serving.readOutput().includes('The dashboard is at'), {
      condition: 'a served dashboard',
      limitMs: 60_000,
    })
    token = requireSuccess(await sandbox.run(['token', 'create', '--admin'])).out.trim()
    const env = { ANTICHAIN_TOKEN: token }
    requireSuccess(await sandbox.run(['login', serverUrl], { env }))
    browser = await launchBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    publicProxy?.close()
    serving?.kill('SIGKILL', 'group')
    await serving?.done
    sandbox?.remove()
  })

  test('opens the selected stack at the public address, and a browser shows it', async () => {
    const opened = join(sandbox.home, 'opened')
    const opener = join(sandbox.home, 'open.sh')
    writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o755 })
    const command = startOnTerminal(sandbox, ['console', '-s', 'dev'], { BROWSER: opener })
    expect(await command.done).toBe(0)
    const address = `${publicProxy.url}/#/stacks/small/dev`
    expect(command.readScreen().trim()).toBe(address)
    await waitUntil(() => existsSync(opened), { condition: 'an opened browser', limitMs: 10_000 })
    expect(readFileSync(opened, 'utf8')).toBe(address)
    const { page, listFaults } = await openWatchedPage(browser, publicProxy.url)
    await page.goto(address)
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /dev/ }).first().waitFor()
    expect(listFaults()).toEqual([])
  })

  test('prints the address of the server itself while the public address is unreachable', async () => {
    publicProxy.breakConnections()
    try {
      const { out } = requireSuccess(await sandbox.run(['console', '-s', 'dev']))
      expect(out.trim()).toBe(`${serverUrl}/#/stacks/small/dev`)
    } finally {
      publicProxy.restore()
    }
  })
})
