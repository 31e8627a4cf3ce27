/** The dashboard of a real `antichain serve`, in a real browser. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithBrowser, launchBrowser, openWatchedPage, type WatchedPage } from './browser.ts'
import {
  createSandbox,
  requireSuccess,
  type RunningCommand,
  type Sandbox,
  waitUntil,
} from './sandbox.ts'

let sandbox: Sandbox
let serving: RunningCommand
let browser: Browser
let url = ''
let tokens = { admin: '', reader: '' }

async function expectNoFaults({ listFaults, listAccessibilityFaults }: WatchedPage) {
  expect(await listAccessibilityFaults()).toEqual([])
  expect(listFaults()).toEqual([])
}

describeWithBrowser('the dashboard', () => {
  beforeAll(async () => {
    sandbox = createSandbox('small')
    requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
    requireSuccess(await sandbox.run(['stack', 'init', 'prod']))
    requireSuccess(await sandbox.run(['up', '--yes', '--skip-preview', '-s', 'dev']))
    serving = sandbox.start(['serve', '--port', '0'])
    const address = /The dashboard is at (http:\/\/127\.0\.0\.1:\d+)\//
    await waitUntil(() => address.test(serving.readOutput()), {
      condition: 'a served dashboard',
      limitMs: 60_000,
    })
    url = address.exec(serving.readOutput())?.[1] ?? ''
    tokens = {
      admin: requireSuccess(await sandbox.run(['token', 'create', '--admin'])).out.trim(),
      reader: requireSuccess(
        await sandbox.run(['token', 'create', 'viewer', '--role', 'read']),
      ).out.trim(),
    }
    browser = await launchBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    serving?.kill('SIGKILL', 'group')
    await serving?.done
    sandbox?.remove()
  })

  test('the page forbids everything that is not its own, and only files of the build are served', async () => {
    const page = await fetch(url)
    const header = (name: string): string | null => page.headers.get(name)
    expect(header('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(header('x-content-type-options')).toBe('nosniff')
    expect(header('referrer-policy')).toBe('no-referrer')
    expect(header('cache-control')).toBe('no-store')
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? []
    const asset = await fetch(url + script)
    expect(asset.headers.get('cache-control')).toContain('immutable')
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    for (const path of ['/assets/..%2f..%2fpackage.json', '/index.html', '/assets/', '/main.tsx'])
      expect((await fetch(url + path)).status).toBe(404)
  })

  test('a refused token is an error of the form, and a valid one shows the stacks', async () => {
    const watched = await openWatchedPage(browser, url)
    const { page } = watched
    await page.goto('/')
    await expectNoFaults(watched)
    await page.getByLabel('Token').fill(`act_${'0'.repeat(16)}_${'a'.repeat(43)}`)
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('API_TOKEN_REFUSED').waitFor()
    await expectNoFaults(watched)
    await page.getByLabel('Token').fill(tokens.reader)
    await page.keyboard.press('Enter')
    const table = page.getByRole('grid', { name: 'Stacks' })
    await table.getByRole('row', { name: /small \/ dev.*succeeded.*#1 update/ }).waitFor()
    await table.getByRole('row', { name: /small \/ prod.*never deployed/ }).waitFor()
    await expectNoFaults(watched)
    await page.getByRole('searchbox', { name: 'Filter stacks' }).fill('never')
    await table.getByRole('row', { name: /dev/ }).waitFor({ state: 'detached' })
    // The token survives a reload of the tab, and no other tab has it.
    await page.reload()
    await table.waitFor()
    const other = await page.context().newPage()
    await other.goto(url)
    await other.getByLabel('Token').waitFor()
    await page.context().close()
  })

  test('the theme follows the browser until its user selects another one', async () => {
    const { page } = await openWatchedPage(browser, url, { colorScheme: 'dark' })
    await page.goto('/')
    const canvas = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    expect(await canvas()).toBe('rgb(16, 18, 24)')
    await page.getByRole('radio', { name: 'Theme: light' }).click()
    expect(await canvas()).toBe('rgb(246, 247, 249)')
    await page.reload()
    await page.getByRole('radio', { name: 'Theme: light', checked: true }).waitFor()
    expect(await canvas()).toBe('rgb(246, 247, 249)')
    await page.context().close()
  })
})
