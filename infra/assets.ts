import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type BuildOptions, buildSync } from 'esbuild'
import { error } from '../shared/errors/error.ts'
import type { FunctionRow } from './functions-table.ts'

/** The folder of the project, which entries are relative to. */
export const projectRoot = resolve(import.meta.dirname, '..')

/**
 * Which entries are bundled: `all`, and an absent one is an error; `existing` ones, the others
 * standing empty, for a look at the template; `none`, for tests of the template.
 */
export type AssetMode = 'all' | 'existing' | 'none'

/** The folders that functions and images are made from. */
export interface Assets {
  /** The folder of a function's bundle: `main.mjs`, for tasks `long.mjs`, and what lies beside. */
  readonly bundleFunction: (row: FunctionRow) => string
  /** The folder that the image is built in: the Dockerfile and a folder for each function. */
  readonly bundleImage: (rows: readonly FunctionRow[]) => string
  /** Entries that are not there; only with `existing` and `none`. */
  readonly absent: ReadonlySet<string>
}

/** Lambda looks for the exported `handler` of this file. */
export const handlerName = 'main.handler'

/**
 * Bundles into `folder`, which is emptied. Throws PLATFORM_ENTRY_MISSING with `all`, and what
 * esbuild says of code that it cannot read.
 */
export function createAssets(mode: AssetMode, folder: string): Assets {
  const absent = new Set<string>()
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
          throw error('PLATFORM_ENTRY_MISSING', `the function '${row.name}' has no ${entry}`)
        absent.add(entry)
        // An asset must have a file; this one is none that Lambda could run.
        writeFileSync(join(target, `${name}.absent`), `${entry}\n`)
      }
    }
    for (const file of row.extraFiles ?? [])
      copyFileSync(join(projectRoot, file), join(target, basename(file)))
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
    absent,
  }
}

/** One file with everything in it, the AWS SDK too: what was tested is what runs. */
function bundleEntry(name: string, entry: string, target: string): void {
  buildSync({
    ...bundling,
    entryPoints: [{ in: join(projectRoot, entry), out: name }],
    absWorkingDir: projectRoot,
    outdir: target,
  })
}

const bundling: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  minify: true,
  // Stack traces name functions; maps would be as large as the code.
  keepNames: true,
  legalComments: 'none',
  logLevel: 'error',
  // Packages in the older module form ask for `require`, which modules do not have.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
}
