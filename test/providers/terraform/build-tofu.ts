import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join, resolve } from 'node:path'

const source = 'github.com/opentofu/opentofu'
const version = 'v1.12.6'
/** The hash of the module, as go.sum has it. */
const moduleHash = 'h1:0VT4P8pMmGcCUnQ9JDrJ+Qg2d35Vzm4FFd/9+H7oF98='

/**
 * Builds OpenTofu with Go from its module, once, into `.cache/tofu`. Returns the path of the
 * program. Throws when the module has another hash than `moduleHash`, or does not compile. With an
 * empty build cache of Go this takes a quarter of an hour.
 */
export function buildTofu(): string {
  const folder = resolve(import.meta.dirname, '../../../.cache/tofu', version)
  const program = join(folder, 'tofu')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  const download = execFileSync('go', ['mod', 'download', '-json', `${source}@${version}`], {
    cwd: folder,
    encoding: 'utf8',
  })
  const module = JSON.parse(download) as { readonly Dir: string; readonly Sum: string }
  if (module.Sum !== moduleHash)
    throw new Error(`${source} ${version} has the hash ${module.Sum}, not ${moduleHash}`)
  // `go install` refuses modules that replace others, so the build runs in the module itself.
  const flags = ['-trimpath', '-ldflags', `-X ${source}/version.dev=no`]
  const partialProgram = `${program}.${process.pid}`
  execFileSync('go', ['build', ...flags, '-o', partialProgram, './cmd/tofu'], { cwd: module.Dir })
  renameSync(partialProgram, program)
  return program
}
