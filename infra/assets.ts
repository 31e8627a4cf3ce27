import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type BuildOptions, buildSync } from 'esbuild'
import { createError } from '../shared/errors/error.ts'
import type { FunctionRow } from './function-row.ts'

/** The project's folder, to which entries are relative. */
export const projectRoot = resolve(import.meta.dirname, '..')

/**
 * The entries to bundle. `all`: a missing entry is an error. `existing`: a missing entry is
 * replaced by a placeholder, to inspect the template or run the other functions. `none`: every
 * entry is replaced, for tests of the template.
 */
export type AssetMode = 'all' | 'existing' | 'none'

/** Creates the folders from which the Lambda functions and the image are built. */
export interface Assets {
  /**
   * Creates the folder of a function's bundle, and returns its path. The folder contains
   * `main.mjs`, for long-pool tasks `long.mjs`, and extra files.
   */
  readonly bundleFunction: (row: FunctionRow) => string
  /**
   * Creates the build folder of the image, and returns its path. The folder contains the Dockerfile
   * and a folder for each function.
   */
  readonly bundleImage: (rows: readonly FunctionRow[]) => string
  /** The entries that were replaced by a placeholder. */
  readonly missingEntries: ReadonlySet<string>
}

/** The handler setting of Lambda: the file `main.mjs` and its export `handler`. */
export const handlerName = 'main.handler'

/**
 * Removes `folder`, and returns functions that create bundles in it. The returned functions throw
 * PLATFORM_ENTRY_MISSING with the mode `all`, and esbuild's errors for invalid code.
 */
export function createAssets(mode: AssetMode, folder: string): Assets {
  const missingEntries = new Set<string>()
  rmSync(folder, { recursive: true, force: true })
  const bundle = (row: FunctionRow, target: string): void => {
    mkdirSync(target, { recursive: true })
    const entries = {
      main: row.entry,
      ...(row.longEntry === undefined ? {} : { long: row.longEntry }),
    }
    for (const [name, entry] of Object.entries(entries)) {
      if (mode !== 'none' && existsSync(join(projectRoot, entry))) bundleEntry(name, entry, target)
      else {
        if (mode === 'all')
          throw createError(
            'PLATFORM_ENTRY_MISSING',
            `the function '${row.name}' has no entry file ${entry}`,
          )
        missingEntries.add(entry)
        // An asset needs at least one file. Lambda cannot run this placeholder.
        writeFileSync(join(target, `${name}.absent`), `${entry}\n`)
      }
    }
    for (const file of row.extraFiles ?? [])
      copyFileSync(join(projectRoot, file), join(target, basename(file)))
    if (mode !== 'none' && !missingEntries.has(row.entry)) copyFolders(row, target, mode)
  }
  return {
    bundleFunction: row => {
      const target = join(folder, row.name)
      bundle(row, target)
      return target
    },
    bundleImage: rows => {
      const target = join(folder, 'image')
      mkdirSync(target, { recursive: true })
      copyFileSync(join(import.meta.dirname, 'images', 'Dockerfile'), join(target, 'Dockerfile'))
      for (const row of rows) bundle(row, join(target, 'functions', row.name))
      return target
    },
    missingEntries,
  }
}

/** Copies the built folders of a function. With the mode `existing`, missing ones are omitted. */
function copyFolders(
  { name, extraFolders = {} }: FunctionRow,
  target: string,
  mode: Exclude<AssetMode, 'none'>,
): void {
  for (const [folderName, source] of Object.entries(extraFolders)) {
    const path = join(projectRoot, source)
    if (existsSync(path)) cpSync(path, join(target, folderName), { recursive: true })
    else if (mode === 'all')
      throw createError(
        'PLATFORM_ENTRY_MISSING',
        `the folder ${source} of '${name}' is not built`,
        {
          hint: 'Run `npm run gen`, and read its messages if the folder is still missing.',
        },
      )
  }
}

/**
 * Bundles an entry into one file. The file includes the AWS SDK, because the SDK of Lambda's
 * runtime may have another version than the tested one.
 */
function bundleEntry(name: string, entry: string, target: string): void {
  buildSync({
    ...bundleOptions,
    entryPoints: [{ in: join(projectRoot, entry), out: name }],
    absWorkingDir: projectRoot,
    outdir: target,
  })
}

const bundleOptions: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  minify: true,
  // Stack traces contain function names. Source maps would be as large as the code.
  keepNames: true,
  legalComments: 'none',
  logLevel: 'error',
  // Functions open keys of KMS only, so they never load the clients of other key services.
  external: ['@azure/*', 'google-auth-library'],
  // CommonJS packages call `require`, which ES modules do not have.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
}
