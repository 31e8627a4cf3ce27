/**
 * Bundles the command line into .cache/cli, from which cli/antichain starts it. Reading a thousand
 * separate modules and stripping their types takes longer than most commands. If a source is newer
 * than the bundle, cli/antichain runs the sources instead.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createBundleOptions, entryPointsOf } from './bundle-options.mjs'
import { root } from './paths.mjs'
import { createBootstrapFailure, printProgress, formatSecondsSince } from './messages.mjs'
import { isUpToDate } from './newer-sources.mjs'

const folder = join(root, '.cache', 'cli')
/** The file that cli/antichain starts. Its modification time is the start of its build. */
const mainFile = join(folder, 'main.mjs')
/** The folders with the sources of the bundle. cli/antichain checks the same folders. */
const sourceFolders = ['cli', 'functions', 'local', 'shared', join('proto', 'gen')]
const settingFiles = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'cli/bootstrap/bundle.mjs',
  'cli/bootstrap/bundle-options.mjs',
  'cli/bootstrap/bundle-builtins.mjs',
]
/**
 * The time after which the chunks of a replaced bundle are removed. Until then, a process that
 * started before the replacement can still load them.
 */
const retentionMs = 7 * 24 * 3_600_000

/** Reports whether a bundle exists that is not older than its sources. */
export function isBundled() {
  return isUpToDate({ file: mainFile, settingFiles, sourceFolders, sourcePattern: /\.(ts|json)$/ })
}

/** Builds the bundle. Its main file is replaced last, in one step. */
export async function bundle() {
  const startMs = Date.now()
  const entry = join(folder, 'next.mjs')
  touchCurrentChunks(startMs)
  try {
    const { build } = await import('esbuild')
    await build({
      ...createBundleOptions(folder),
      entryPoints: entryPointsOf('next'),
      outdir: folder,
    })
  } catch (thrown) {
    throw createBootstrapFailure(
      `cannot bundle the command line: ${thrown.message}`,
      'read the messages above; if esbuild is broken, run `npm ci` to reinstall it',
    )
  }
  // The bundle gets the start time of the build. A source that is saved during the build may be
  // missing from the bundle, and then counts as newer.
  utimesSync(entry, startMs / 1_000, startMs / 1_000)
  renameSync(entry, mainFile)
  removeExpiredChunks()
  printProgress(`bundled in ${formatSecondsSince(startMs)}`)
}

/**
 * Sets the modification time of the current chunks to now, so that their age counts from their
 * replacement. A process may have started just before the replacement.
 */
function touchCurrentChunks(nowMs) {
  if (!existsSync(mainFile)) return
  const builtAtMs = statSync(mainFile).mtimeMs
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (file !== mainFile && statSync(file).mtimeMs >= builtAtMs)
      utimesSync(file, nowMs / 1_000, nowMs / 1_000)
  }
}

/** Removes the chunks of bundles that were replaced more than `retentionMs` ago. */
function removeExpiredChunks() {
  const expiryMs = Date.now() - retentionMs
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (name !== basename(mainFile) && statSync(file).mtimeMs < expiryMs) rmSync(file)
  }
}
