import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const version = 'v1.25.0'

/**
 * Installs Pulumi's converter and language host of YAML, once per machine and version. Returns
 * their folder.
 */
export function installYamlPlugins(): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(base, 'antichain', 'tests', `pulumi-yaml-${version}`)
  const names = ['pulumi-converter-yaml', 'pulumi-language-yaml']
  if (names.every(name => existsSync(join(folder, name)))) return folder
  const packages = names.map(name => `github.com/pulumi/pulumi-yaml/cmd/${name}@${version}`)
  execFileSync('go', ['install', ...packages], { env: { ...process.env, GOBIN: folder } })
  return folder
}
