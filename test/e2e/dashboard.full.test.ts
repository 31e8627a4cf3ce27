/** The dashboard of a real `antichain serve`, in a real browser. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page, Response } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  describeWithBrowser,
  launchBrowser,
  openWatchedPage,
  type WatchedPage,
  type WatchOptions,
} from './browser.ts'
import { startBreakableProxy } from './breakable-proxy.ts'
import { deployShop, pictureBytesMax, takePicture } from './pictures.ts'
import {
  createSandbox,
  requireSuccess,
  type RunningCommand,
  type Sandbox,
  waitUntil,
} from './sandbox.ts'

/** A chain of objects whose creates take DELAY ms each, with a secret input and a secret output. */
const programText = `'use strict'
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
let before
for (const name of ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'last']) {
  const inputs = { password: pulumi.secret('hidden value'), delay: Number(process.env.DELAY || 0) }
  before = new Thing(name, inputs, before === undefined ? {} : { dependsOn: before })
}
exports.password = pulumi.secret('hidden value')
exports.address = 'https://example.com/'
`

/** Measures the time from the arrival of an event to the row that shows it. */
const latencyScript = `
  const parse = JSON.parse
  let arrivedAtMs
  const isEnd = ({ resOutputsEvent }) => resOutputsEvent?.metadata.urn.endsWith('::second')
  JSON.parse = text => {
    const value = parse(text)
    if (Array.isArray(value) && value.some(isEnd)) arrivedAtMs ??= performance.now()
    return value
  }
  const isShown = ({ textContent }) => /second.*created/.test(textContent)
  new MutationObserver(() => {
    if ([...document.querySelectorAll('[role=row]')].some(isShown))
      window.shownAfterMs ??= performance.now() - arrivedAtMs
  }).observe(document, { subtree: true, childList: true, characterData: true })
`

/** The requester of deployments that the command line of this machine starts. */
const localUser = process.env['USER'] ?? process.env['LOGNAME'] ?? 'someone'

let sandbox: Sandbox
let serving: RunningCommand
let browser: Browser
let url = ''
let tokens = { admin: '', reader: '' }

async function login(
  token: string,
  fragment: string,
  options: WatchOptions = {},
): Promise<WatchedPage> {
  const watched = await openWatchedPage(browser, options.baseURL ?? url, options)
  await watched.page.goto(`/${fragment}`)
  await watched.page.getByLabel('Token').fill(token)
  await watched.page.keyboard.press('Enter')
  await watched.page.getByRole('button', { name: 'Log out' }).waitFor()
  return watched
}

/** Returns the number of pixels of an element that have a color of the legend of the graph. */
async function countPixels(page: Page, element: Locator, color: string): Promise<number> {
  const picture = await element.screenshot().catch(() => undefined)
  if (picture === undefined) return 0
  return page.evaluate<number>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${picture.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: image.width, height: image.height })
    const context = canvas.getContext('2d', { willReadFrequently: true })
    context.fillStyle = getComputedStyle(document.querySelector('.swatch-${color}')).color
    context.fillRect(0, 0, 1, 1)
    const wanted = context.getImageData(0, 0, 1, 1).data
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, image.width, image.height)
    let count = 0
    for (let at = 0; at < data.length; at += 4)
      if ([0, 1, 2].every(part => Math.abs(data[at + part] - wanted[part]) < 8)) count += 1
    return count
  })()`)
}

async function expectNoFaults({ listFaults, listAccessibilityFaults }: WatchedPage) {
  expect(await listAccessibilityFaults()).toEqual([])
  expect(listFaults()).toEqual([])
}

describeWithBrowser('the dashboard', () => {
  beforeAll(async () => {
    sandbox = createSandbox('small', { files: { 'index.js': programText } })
    requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
    requireSuccess(await sandbox.run(['stack', 'init', 'prod']))
    requireSuccess(await sandbox.run(['stack', 'init', 'gone']))
    requireSuccess(await sandbox.run(['up', '--yes', '--skip-preview', '-s', 'dev']))
    serving = sandbox.start(['serve', '--port', '0'])
    const addressPattern = /The dashboard is at (http:\/\/127\.0\.0\.1:\d+)\//
    await waitUntil(() => addressPattern.test(serving.readOutput()), {
      condition: 'a served dashboard',
      limitMs: 60_000,
    })
    url = addressPattern.exec(serving.readOutput())?.[1] ?? ''
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
    const readHeader = (name: string): string | null => page.headers.get(name)
    expect(readHeader('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(readHeader('x-content-type-options')).toBe('nosniff')
    expect(readHeader('referrer-policy')).toBe('no-referrer')
    expect(readHeader('cache-control')).toBe('no-store')
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
    await table
      .getByRole('row', { name: new RegExp(`small / dev.*succeeded.*#1 update.*${localUser}`) })
      .waitFor()
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
    const readBackground = () =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    expect(await readBackground()).toBe('rgb(16, 18, 24)')
    await page.getByRole('radio', { name: 'Theme: light' }).click()
    expect(await readBackground()).toBe('rgb(246, 247, 249)')
    await page.reload()
    await page.getByRole('radio', { name: 'Theme: light', checked: true }).waitFor()
    expect(await readBackground()).toBe('rgb(246, 247, 249)')
    await page.context().close()
  })

  test('the keyboard leads from the stacks over a resource to a past deployment, without secrets', async () => {
    const watched = await login(tokens.reader, '')
    const { page } = watched
    await page.getByRole('grid', { name: 'Stacks' }).focus()
    await page.keyboard.press('Enter')
    const resources = page.getByRole('grid', { name: 'Resources' })
    await resources.getByRole('row', { name: /third.*gold:Thing/ }).waitFor()
    await page.getByRole('searchbox', { name: 'Filter resources' }).fill('third')
    await resources.focus()
    await expectNoFaults(watched)
    await page.keyboard.press('Enter')
    const details = page.getByRole('dialog', { name: 'third' })
    await details.getByText('[secret]').first().waitFor()
    await expectNoFaults(watched)
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: 'Resources' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('tabpanel', { name: 'Outputs' }).getByText('[secret]').waitFor()
    await expectNoFaults(watched)
    await page.keyboard.press('ArrowRight')
    const history = page.getByRole('grid', { name: 'Deployments' })
    await history
      .getByRole('row', { name: new RegExp(`#1 update.*succeeded.*9 created.*${localUser}`) })
      .waitFor()
    await expectNoFaults(watched)
    await history.focus()
    await page.keyboard.press('Enter')
    const operations = page.getByRole('grid', { name: 'Operations' })
    await operations.getByRole('row', { name: /fourth.*created/ }).waitFor()
    await page.getByRole('status').getByText('succeeded').waitFor()
    await expectNoFaults(watched)
    await page.getByRole('searchbox', { name: 'Filter operations' }).fill('fourth')
    await operations.focus()
    await page.keyboard.press('Enter')
    const records = page.getByRole('dialog', { name: 'fourth' })
    await records.getByRole('list', { name: 'Attempts' }).getByText('Attempt 1').waitFor()
    await records.getByText('Decided').waitFor()
    await expectNoFaults(watched)
    expect(await page.content()).not.toContain('hidden value')
    await page.keyboard.press('Escape')
    await page.getByRole('radio', { name: 'Tree' }).click()
    const tree = page.getByRole('treegrid', { name: 'Operation tree' })
    await tree.getByRole('row', { name: /fourth/, level: 2 }).waitFor()
    await expectNoFaults(watched)
    await tree.focus()
    await page.keyboard.press('ArrowLeft')
    await tree.getByRole('row', { name: /fourth/ }).waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: 'Operations' }).focus()
    await page.keyboard.press('ArrowRight')
    const timeLine = page.getByRole('grid', { name: 'Time line' })
    await timeLine.getByRole('row', { name: /create last.*critical/ }).waitFor()
    await timeLine.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'first' }).waitFor()
    await page.keyboard.press('Escape')
    await expectNoFaults(watched)
    await page.goBack()
    await history.waitFor()
    await page.context().close()
  })

  test('resources are sorted, shown as a tree and as a graph, and lead to their neighbors', async () => {
    const watched = await login(tokens.reader, '#/stacks/small/dev/resources')
    const { page } = watched
    const nameHeader = page.getByRole('columnheader', { name: 'Name' })
    await nameHeader.getByRole('button').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    expect(await nameHeader.getAttribute('aria-sort')).toBe('descending')
    const rows = page.getByRole('grid', { name: 'Resources' }).getByRole('row')
    expect(await rows.nth(1).textContent()).toContain('third')
    await page.getByRole('radio', { name: 'Table' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    const tree = page.getByRole('treegrid', { name: 'Resource tree' })
    await tree.getByRole('row', { name: /third/ }).waitFor()
    await tree.focus()
    for (const key of ['Home', 'ArrowLeft']) await page.keyboard.press(key)
    await tree.getByRole('row', { name: /third/ }).waitFor({ state: 'detached' })
    await expectNoFaults(watched)
    await page.goto('/#/stacks/small/dev/resources/graph')
    const graph = page.getByRole('application', { name: 'Dependency graph' })
    await graph.getByText('wave 1 · 1').waitFor({ state: 'attached', timeout: 60_000 })
    await page.getByRole('searchbox', { name: 'Filter resources' }).fill('third')
    await graph.focus()
    for (const key of ['+', 'ArrowLeft', '0', 'Enter']) await page.keyboard.press(key)
    const third = page.getByRole('dialog', { name: 'third' })
    await expectNoFaults(watched)
    await third.getByRole('link', { name: 'fourth' }).waitFor()
    await third.getByRole('link', { name: 'second' }).click()
    await page.getByRole('dialog', { name: 'second' }).waitFor()
    expect(page.url()).toContain(encodeURIComponent('::second'))
    await page.context().close()
  })

  test('a search, the differences of versions and the settings of a stack hide secrets', async () => {
    const watched = await login(tokens.reader, '#/search')
    const { page } = watched
    await page.getByRole('searchbox', { name: 'Search resources of all stacks' }).fill('fourth')
    await page.keyboard.press('Enter')
    const found = page.getByRole('grid', { name: 'Found resources' })
    await found.getByRole('row', { name: /fourth.*small \/ dev/ }).waitFor()
    await expectNoFaults(watched)
    await found.focus()
    await page.keyboard.press('Enter')
    const details = page.getByRole('dialog', { name: 'fourth' })
    await details.getByRole('button', { name: 'Show the deployments that changed it' }).click()
    await details.getByRole('link', { name: '#1' }).waitFor()
    await details.getByText('created', { exact: true }).last().waitFor()
    await page.goto('/#/stacks/small/dev/diff/1/0')
    await page.getByText('10 removed').waitFor()
    await expectNoFaults(watched)
    await page.goto('/#/stacks/small/dev/diff/1/7')
    await page.getByRole('alert').getByText('MOMENT_UNKNOWN').waitFor()
    for (const [tab, text] of [
      ['configuration', 'the last one'],
      ['settings', 'needs a token with the role deploy'],
    ] as const) {
      await page.goto(`/#/stacks/small/dev/${tab}`)
      await page.getByText(text).waitFor()
      await expectNoFaults(watched)
    }
    expect(await page.content()).not.toContain('hidden value')
    await page.goto('/#/administration')
    await page.getByText('This page needs another token').waitFor()
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0)
    await page.context().close()
  })

  test('an administrator revokes a token after a confirmation, and sees it in the audit log', async () => {
    requireSuccess(await sandbox.run(['token', 'create', 'leaked', '--role', 'read']))
    const watched = await login(tokens.admin, '#/administration/tokens')
    const { page } = watched
    const table = page.getByRole('grid', { name: 'Tokens' })
    await table.getByRole('row', { name: /leaked.*read.*all/ }).click()
    await page.getByRole('button', { name: 'Revoke leaked…' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Revoke the token leaked?' })
    await expectNoFaults(watched)
    await dialog.getByRole('button', { name: 'Revoke token' }).click()
    await table.getByRole('row', { name: /leaked/ }).waitFor({ state: 'detached' })
    for (const [name, text] of [
      ['Notifications', 'Undelivered notifications'],
      ['Webhooks', 'none'],
      ['CI login', 'Rules that admit CI jobs'],
      ['Health', 'answers within'],
      ['Plugins', 'Policy packs that are attached to stacks'],
    ] as const) {
      await page.getByRole('tab', { name }).click()
      await page.getByRole('tabpanel', { name }).getByText(text).first().waitFor()
      await expectNoFaults(watched)
    }
    await page.getByRole('tab', { name: 'Audit log' }).click()
    const log = page.getByRole('grid', { name: 'Audit log' })
    await log.getByRole('row', { name: /DELETE \/v1\/tokens\/.*done/ }).waitFor()
    expect(await log.getByText('imported', { exact: true }).count()).toBe(0)
    const entry = {
      id: 'r asked',
      at: 1,
      who: 'ana',
      from: '192.0.2.1',
      what: 'POST /v1/old',
      kind: 'asked',
      request: 'r',
    }
    const imported = await fetch(`${url}/v1/audit/imports/${'0'.repeat(16)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokens.admin}` },
      body: JSON.stringify({ source: 'https://source.test', entries: [entry] }),
    })
    expect(imported.status).toBe(200)
    await log
      .getByRole('row', { name: /ana.*imported.*192.0.2.1 \(in https:\/\/source.test/ })
      .waitFor()
    await expectNoFaults(watched)
    await page.context().close()
  })

  test('a browser without WebGL, a broken part of a page and an expired token each show one clear message', async () => {
    const watched = await login(tokens.reader, '#/stacks/small/dev/resources/graph', {
      initScript: 'HTMLCanvasElement.prototype.getContext = () => null',
    })
    const { page } = watched
    const alert = page.getByRole('alert')
    await alert.getByText('This browser cannot draw the graph').waitFor()
    await page.getByRole('treegrid').getByRole('row', { name: /third/ }).waitFor()
    await expectNoFaults(watched)
    const fulfill = (path: string, body: object, status = 200): Promise<unknown> =>
      page.route(`**/v1/${path}`, route =>
        route.fulfill({ status, body: JSON.stringify(body), contentType: 'application/json' }),
      )
    // Answers without fields that they must have break the parts that show them.
    await fulfill('stacks/small/dev/tags', {})
    await fulfill('stacks/small/dev/outputs', {})
    await page.getByRole('tab', { name: 'Settings' }).click()
    const tags = page.getByRole('region', { name: 'Tags' }).getByRole('alert')
    await tags.getByText('This section is broken').waitFor()
    await page.getByRole('heading', { name: 'Limits of provider calls' }).waitFor()
    expect(await watched.listAccessibilityFaults()).toEqual([])
    await page.getByRole('tab', { name: 'Outputs' }).click()
    await alert.getByText('This tab is broken').waitFor()
    await page.unroute('**/v1/stacks/small/dev/outputs')
    await page.getByRole('tab', { name: 'Resources' }).click()
    await page.getByRole('tab', { name: 'Outputs' }).click()
    await page.getByRole('tabpanel').getByText('https://example.com/').waitFor()
    await fulfill('stacks/small/dev', { version: {} })
    await alert.getByText('This page is broken').waitFor()
    expect(await alert.count()).toBe(1)
    await page.unroute('**/v1/stacks/small/dev')
    await page.getByRole('button', { name: 'Show it again' }).click()
    await page.getByRole('heading', { name: 'small / dev' }).waitFor()
    const expired = { code: 'API_TOKEN_EXPIRED', message: 'the token expired', hint: '' }
    await fulfill('stacks?*', expired, 401)
    await page.getByRole('link', { name: 'Stacks', exact: true }).first().click()
    await alert.getByText('API_TOKEN_EXPIRED').waitFor()
    await page.getByText('Your session has ended').waitFor()
    await page.context().close()
  })

  test('the graph of a stack shows the states of resources while a deployment is open', async () => {
    const deploy = (command: string): RunningCommand =>
      sandbox.start([command, '--yes', '--skip-preview', '-s', 'live'], {
        env: { DELAY: '2500' },
      })
    requireSuccess(await sandbox.run(['stack', 'init', 'live']))
    const watched = await login(tokens.reader, '#/stacks/small/live/resources/graph')
    const { page } = watched
    const graph = page.getByRole('application', { name: 'Dependency graph' })
    const waitForColor = (text: RegExp): Promise<void> =>
      page.getByRole('listitem').filter({ hasText: text }).waitFor({ timeout: 60_000 })
    const waitForPixels = (color: string): Promise<void> =>
      waitUntil(async () => (await countPixels(page, graph, color)) > 20, {
        condition: `a node with the color '${color}'`,
        limitMs: 30_000,
      })
    await page.getByText('This stack has no resources').waitFor()
    const up = deploy('up')
    // The stack itself runs too, until the program has ended.
    await waitForColor(/^running 2$/)
    await waitForPixels('running')
    await waitForColor(/^done [3-9]$/)
    await waitForPixels('done')
    requireSuccess(await up.done)
    await waitForColor(/^resource 8$/)
    const destroy = deploy('destroy')
    await waitForColor(/^waiting [1-9]/)
    await waitForColor(/^running 1$/)
    await waitForPixels('waiting')
    await expectNoFaults(watched)
    requireSuccess(await destroy.done)
    await page.context().close()
  })

  test('the graph of a stack shows no operation of an earlier deployment', async () => {
    const { page } = await login(tokens.reader, '')
    const fulfill = (path: string, body: object): Promise<unknown> =>
      page.route(`**/v1/stacks/small/dev/deployments${path}`, route =>
        route.fulfill({ body: JSON.stringify(body), contentType: 'application/json' }),
      )
    const start = { command: 'up', message: '', startedAt: Date.now() }
    const openDeployment = (number: number): Promise<unknown> =>
      fulfill('?limit=1', { items: [{ ...start, number }] })
    // No deployment has these numbers, so the operations of the answers are the only ones.
    for (const [number, count] of [
      [91, 3],
      [92, 2],
    ] as const) {
      const items = Array.from({ length: count }, (_, index) => ({
        id: number * 10 + index,
        op: 'create',
        stage: 'running',
        attempts: 1,
        decidedAt: 1,
        urn: `urn:pulumi:dev::small::gold:index:Thing::of-${number}-${index}`,
        callMs: 0,
        slotMs: 0,
        limitMs: 0,
        retryMs: 0,
      }))
      await fulfill(`/${number}/operations**`, { items, count, hasMore: false, parallel: 4 })
    }
    const waitForColor = (text: RegExp): Promise<void> =>
      page.getByRole('listitem').filter({ hasText: text }).waitFor()
    await openDeployment(91)
    await page.goto('/#/stacks/small/dev/resources/graph')
    await waitForColor(/^running 3$/)
    await openDeployment(92)
    await waitForColor(/^running 2$/)
    await page.context().close()
  })

  test('a live deployment is shown as its events arrive, survives a broken stream, and is cancelled after a confirmation', async () => {
    const options = ['up', '--yes', '--skip-preview', '-s', 'prod']
    const proxy = await startBreakableProxy(url)
    // The page of a deployment that does not exist yet shows it when it begins.
    const watched = await login(tokens.admin, '#/stacks/small/prod/deployments/1', {
      baseURL: proxy.url,
      initScript: latencyScript,
    })
    const { page } = watched
    await page.getByRole('heading', { name: 'This deployment does not exist' }).waitFor()
    const isChange = (response: Response): boolean =>
      response.url().includes('/operations/changes?') && response.ok()
    const changesRead = page.waitForResponse(isChange, { timeout: 60_000 })
    const up = sandbox.start(options, { env: { DELAY: '5000' } })
    const operations = page.getByRole('grid', { name: 'Operations' })
    await operations.getByRole('row', { name: /first.*creat/ }).waitFor({ timeout: 60_000 })
    await expectNoFaults(watched)
    proxy.breakConnections()
    await page.getByRole('alert').getByText('The connection is interrupted').waitFor()
    proxy.restore()
    await page.getByText('The connection is interrupted').waitFor({ state: 'detached' })
    await operations.getByRole('row', { name: /second.*created/ }).waitFor()
    expect(await page.evaluate('shownAfterMs')).toBeLessThan(300)
    await changesRead
    expect(await page.getByRole('button', { name: 'Redrive…' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Resume…' }).click()
    const resume = page.getByRole('alertdialog', { name: 'Resume deployment #1?' })
    await resume.getByText('If the process is alive, nothing changes.').waitFor()
    await resume.getByRole('button', { name: 'Resume deployment' }).click()
    await resume.getByText('A server checks the deployment now.').waitFor()
    await resume.getByRole('button', { name: 'Close' }).click()
    // The token of a reader may not cancel, and the page says so.
    const reader = await login(tokens.reader, '#/stacks/small/prod/deployments/1')
    await reader.page.getByText('Cancelling needs a token with the role deploy').waitFor()
    expect(await reader.page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Cancel…' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Cancel deployment #1?' })
    await dialog.getByText('No further operation begins.').waitFor()
    expect(await watched.listAccessibilityFaults()).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel deployment' }).click()
    for (const shown of [page, reader.page])
      await shown.getByRole('status').getByText('cancelled').waitFor()
    expect(await operations.getByRole('row', { name: /last/ }).count()).toBe(0)
    await expectNoFaults(reader)
    await up.done
    proxy.close()
    for (const shown of [page, reader.page]) await shown.context().close()
  })

  test('a removed stack, an unknown deployment and a revoked token each show one clear message', async () => {
    const watched = await login(tokens.admin, '#/stacks/small/gone')
    const { page } = watched
    await page.getByText('This stack has no resources').waitFor()
    requireSuccess(await sandbox.run(['stack', 'rm', '--yes', 'gone']))
    await page.getByRole('heading', { name: 'This stack does not exist' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(1)
    await expectNoFaults(watched)
    await page.goto('/#/stacks/small/dev/deployments/99')
    await page.getByRole('heading', { name: 'This deployment does not exist' }).waitFor()
    const created = await sandbox.run(['token', 'create', 'short', '--role', 'read'])
    const short = await login(requireSuccess(created).out.trim(), '#/stacks/small/dev')
    requireSuccess(await sandbox.run(['token', 'revoke', 'short']))
    await short.page.getByRole('alert').getByText('API_TOKEN_REFUSED').waitFor()
    await short.page.getByText('Your session has ended').waitFor()
    await expectNoFaults(short)
    // A new login shows the page that was open before.
    await short.page.getByLabel('Token').fill(tokens.reader)
    await short.page.keyboard.press('Enter')
    await short.page.getByRole('grid', { name: 'Resources' }).waitFor()
    for (const shown of [page, short.page]) await shown.context().close()
  })

  test('every page fits a screen of 360 px, and dark colors have enough contrast', async () => {
    const viewport = { width: 360, height: 640 }
    const watched = await login(tokens.admin, '', { viewport, colorScheme: 'dark' })
    const { page } = watched
    for (const [fragment, name] of [
      ['#/stacks', 'Stacks'],
      ['#/stacks/small/dev/resources', 'Resources'],
      ['#/stacks/small/dev/history', 'Deployments'],
      ['#/stacks/small/dev/deployments/1', 'Operations'],
      ['#/search/fourth', 'Found resources'],
      ['#/administration/tokens', 'Tokens'],
      ['#/administration/audit', 'Audit log'],
    ] as const) {
      await page.goto(`/${fragment}`)
      await page.getByRole('grid', { name }).getByRole('row').nth(1).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
      await expectNoFaults(watched)
    }
    await page.context().close()
  })

  test('the picture of the documentation shows a stack as a graph', async () => {
    await deployShop(sandbox)
    const viewport = { width: 1280, height: 720 }
    const { page } = await login(tokens.reader, '#/stacks/shop/prod/resources/graph', { viewport })
    const graph = page.getByRole('application', { name: 'Dependency graph' })
    await graph.getByText('wave 1 ·').waitFor({ state: 'attached', timeout: 60_000 })
    expect(await takePicture(page, 'dashboard.png', graph)).toBeLessThan(pictureBytesMax)
    await page.context().close()
  })

  test('a plan waits on its page for the approval of another token, and is applied then', async () => {
    const call = async (method: string, path: string, body?: object): Promise<string> => {
      const headers = {
        authorization: `Bearer ${tokens.admin}`,
        'content-type': 'application/json',
      }
      const options = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      const text = await (await fetch(`${url}/v1/stacks/small/dev/${path}`, options)).text()
      expect(text).not.toContain('"code"')
      return text
    }
    await call('PUT', 'approval-rule', { commands: ['destroy'] })
    // The packages of the program are links to another folder, which cannot be packed.
    const folder = join(sandbox.program, '../removal')
    mkdirSync(folder)
    for (const name of ['Pulumi.yaml', 'Pulumi.dev.yaml'])
      copyFileSync(join(sandbox.program, name), join(folder, name))
    const env = { ANTICHAIN_HOME: join(folder, '../remote') }
    for (const args of [
      ['login', url, '--token', tokens.admin],
      ['-C', folder, 'destroy', '--yes', '--skip-preview', '--stack', 'dev'],
    ])
      requireSuccess(await sandbox.run(args, { env }))
    await expect
      .poll(() => call('GET', 'approvals'), { timeout: 60_000 })
      .toContain('"state":"waiting"')
    const token = requireSuccess(
      await sandbox.run(['token', 'create', 'approver', '--role', 'approve']),
    ).out.trim()
    const watched = await login(token, '#/stacks/small/dev/approvals')
    const { page } = watched
    await page.getByRole('link', { name: /destroy of/ }).waitFor()
    await expectNoFaults(watched)
    await page.getByRole('link', { name: /destroy of/ }).click()
    await page.getByRole('heading', { name: 'Plan of destroy' }).waitFor()
    const steps = page.getByRole('grid', { name: 'Operations' })
    await steps.getByRole('row', { name: /last.*delete/ }).click()
    await page.getByRole('dialog', { name: 'last' }).getByText('No input of this').waitFor()
    await page.keyboard.press('Escape')
    await page
      .getByRole('region', { name: 'Forecast' })
      .getByText(/in \d+ waves/)
      .waitFor()
    await expectNoFaults(watched)
    await page.getByRole('button', { name: 'Approve…' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Approve this plan?' })
    await expectNoFaults(watched)
    await dialog.getByRole('button', { name: 'Approve plan' }).click()
    await page.getByRole('status').getByText('approved').waitFor()
    await page.goto('/#/stacks/small/dev/history')
    const history = page.getByRole('grid', { name: 'Deployments' })
    await history
      .getByRole('row', { name: /destroy.*succeeded.*approved by approver/ })
      .waitFor({ timeout: 60_000 })
    await expectNoFaults(watched)
    await page.context().close()
  })

  test('a table of 100,000 resources has few rows in the document, and filters immediately', async () => {
    const { page } = await login(tokens.reader, '')
    const resources = Array.from({ length: 100_000 }, (_, at) => ({
      urn: `urn:pulumi:dev::small::gold:index:Thing::thing-${at}`,
      type: 'gold:index:Thing',
      id: `id-${at}`,
    }))
    const body = JSON.stringify({ version: 3, deployment: { resources } })
    const headers = { 'content-type': 'application/json' }
    await page.route('**/small/dev/export', route => route.fulfill({ body, headers }))
    await page.goto('/#/stacks/small/dev')
    const table = page.getByRole('grid', { name: 'Resources' })
    await table.getByRole('row', { name: /thing-0/ }).waitFor()
    expect(await table.getAttribute('aria-rowcount')).toBe('100001')
    await table.focus()
    await page.keyboard.press('End')
    await table.getByRole('row', { name: /thing-99999/ }).waitFor()
    expect(await table.getByRole('row').count()).toBeLessThan(100)
    const startMs = performance.now()
    await page.getByRole('searchbox', { name: 'Filter resources' }).fill('thing-4711')
    await page.getByText('11 resources of 100,000').waitFor()
    expect(performance.now() - startMs).toBeLessThan(2_000)
    await page.context().close()
  })
})
