import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildOnce } from '../../build-once.ts'

const sources = import.meta.dirname

/**
 * The packages of published providers by the folder of their module. Those of `sdk` use the first
 * SDK of Terraform, and none of their versions can be combined with the modules of `framework`.
 */
const packages = {
  framework: ['github.com/hashicorp/terraform-provider-time'],
  sdk: ['http', 'local', 'null', 'random', 'tls'].map(
    name => `github.com/terraform-providers/terraform-provider-${name}`,
  ),
} as const

/**
 * Builds published Terraform providers with Go into `.cache`, once for each content of go.mod and
 * go.sum. Returns the folder with the programs. Throws when a module cannot be downloaded or
 * compiled.
 */
export function buildPublishedProviders(module: keyof typeof packages): string {
  const hash = createHash('sha256')
  for (const name of ['go.mod', 'go.sum']) hash.update(readFileSync(join(sources, module, name)))
  const base = resolve(sources, '../../../.cache/terraform-providers')
  const folder = join(base, `${module}-${hash.digest('hex').slice(0, 16)}`)
  return buildOnce(folder, partialFolder => {
    execFileSync('go', ['build', '-trimpath', '-o', partialFolder, ...packages[module]], {
      cwd: join(sources, module),
    })
  })
}
