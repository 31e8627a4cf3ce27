import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildOnce } from '../build-once.ts'

/** The versions of Pulumi's command line that the tests build. The first one runs in every tier. */
export const cliVersions = ['3.274.1', '3.248.0', '3.200.0'] as const

const cliPackage = 'github.com/pulumi/pulumi/pkg/v3/cmd/pulumi'

/**
 * Builds Pulumi's command line with Go into `.cache`, once for each content of go.mod and go.sum.
 * Returns the path of the program. The first build on a machine takes minutes. Go's own cache makes
 * later ones quick.
 */
export function buildPulumiCli(version: (typeof cliVersions)[number]): string {
  const sources = join(import.meta.dirname, 'versions', version)
  const hash = createHash('sha256')
  for (const name of ['go.mod', 'go.sum']) hash.update(readFileSync(join(sources, name)))
  const base = resolve(import.meta.dirname, '../../.cache/pulumi-cli')
  const folder = join(base, `${version}-${hash.digest('hex').slice(0, 16)}`)
  buildOnce(folder, partialFolder => {
    const linkerFlags = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`
    const args = ['build', `-ldflags=${linkerFlags}`, '-o', partialFolder, cliPackage]
    execFileSync('go', args, { cwd: sources, stdio: ['ignore', 'ignore', 'inherit'] })
  })
  return join(folder, 'pulumi')
}
