/** A real Chromium for tests of the dashboard, and the checks that every page must pass. */
import { spawnSync } from 'node:child_process'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { describeWithDebianPackage } from './toolchains.ts'

const browserCommand = 'chromium'
/** The time in which a page must show an expected element. */
const pageTimeoutMs = 30_000

/** Runs tests that need Chromium, under the conditions of `describeWithDebianPackage`. */
export function describeWithBrowser(name: string, tests: () => void): void {
  describeWithDebianPackage(name, browserCommand, tests)
}

/** Starts Chromium. As root it has no sandbox of its own. */
export function launchBrowser(): Promise<Browser> {
  const path = spawnSync('sh', ['-c', `command -v ${browserCommand}`], { encoding: 'utf8' })
  const isRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath: path.stdout.trim(),
    args: isRoot ? ['--no-sandbox'] : [],
  })
}

/** A page of the browser that records its faults. */
export interface WatchedPage {
  readonly page: Page
  /**
   * Returns the faults so far: errors of scripts, blocked resources, and requests to hosts other
   * than the server's.
   */
  readonly listFaults: () => readonly string[]
  /** Returns the violations that axe finds on the page now, with their elements. */
  readonly listAccessibilityFaults: () => Promise<readonly string[]>
}

/** The options of a page. */
export interface WatchOptions extends BrowserContextOptions {
  /** A script that runs before those of the page. */
  readonly initScript?: string
}

/** Opens an empty page for the dashboard at `url`. */
export async function openWatchedPage(
  browser: Browser,
  url: string,
  { initScript, ...options }: WatchOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: url, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(pageTimeoutMs)
  if (initScript !== undefined) await page.addInitScript(initScript)
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`))
  page.on('console', message => {
    // The console also names every refused request, which the page must show itself.
    const isRefusal = message.text().startsWith('Failed to load resource')
    // The software renderer of Chromium reports its speed as a warning.
    const isDriverNote = message.text().includes('GL Driver Message')
    if (['error', 'warning'].includes(message.type()) && !isRefusal && !isDriverNote)
      faults.push(`console: ${message.text()}`)
  })
  page.on('request', request => {
    if (new URL(request.url()).origin !== new URL(url).origin)
      faults.push(`foreign request: ${request.url()}`)
  })
  // The test itself evaluates the source of axe, which CSP does not forbid.
  const listAccessibilityFaults = async (): Promise<readonly string[]> => {
    await page.evaluate(axe.source)
    return page.evaluate<string[]>(
      `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`,
    )
  }
  return { page, listFaults: () => faults, listAccessibilityFaults }
}
