/**
 * `npm run docs`: builds the documentation as a site. VitePress, the site generator, is large. So
 * its packages are installed for this command only.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installPackages, needsInstall } from './install.mjs'
import { acquireFolderLock } from './lock.mjs'
import { createBootstrapFailure, formatSecondsSince, printProgress } from './messages.mjs'
import { projectNode, root } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { runChild } from './run-child.mjs'

const folder = join(root, 'docs', 'site')
const vitepress = join(folder, 'node_modules', 'vitepress', 'bin', 'vitepress.js')
/** Runs a script of `docs/site`. */
const runSiteScript = (name, args = []) => runChild(projectNode, [join(folder, name), ...args])

/**
 * Writes the pages, builds the site, and checks its links. `--serve` serves the site on loopback
 * afterwards, at `--port`. `--base /path/` builds it for a path of a host.
 */
export async function buildDocs(args) {
  const { serve, base = '/', port = '4173' } = parseDocsArguments(args)
  const baseArgs = ['--base', base]
  await prepare()
  const release = await acquireFolderLock(join(root, '.cache', 'docs.lock'))
  try {
    if (needsInstall(folder)) installPackages(folder, 'the documentation')
    const startMs = Date.now()
    const status = await runSteps([
      () => runSiteScript('main.ts'),
      () => runChild(projectNode, [vitepress, 'build', folder, ...baseArgs], { quiet: true }),
      () => runSiteScript('check-site.ts', baseArgs),
    ])
    if (status !== 0) return status
    printProgress(`built .cache/docs-site in ${formatSecondsSince(startMs)}`)
  } finally {
    release()
  }
  return serve ? runSiteScript('serve-site.ts', [...baseArgs, '--port', port]) : 0
}

function parseDocsArguments(args) {
  const options = {
    serve: { type: 'boolean' },
    base: { type: 'string' },
    port: { type: 'string' },
  }
  try {
    return parseArgs({ args, options }).values
  } catch (thrown) {
    throw createBootstrapFailure(thrown.message, 'use --serve, --port <port> or --base /path/')
  }
}

/** Runs the steps until one fails, and returns the last exit status. */
async function runSteps(steps) {
  for (const step of steps) {
    const status = await step()
    if (status !== 0) return status
  }
  return 0
}
