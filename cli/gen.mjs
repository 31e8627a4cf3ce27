/**
 * Generates proto/gen from proto/ when proto/gen is missing or older than its sources. This file is
 * plain JavaScript for Node 20, because it runs before all other code of the project.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const project = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** Returns the files that the generated code depends on. */
function sourcesOf(folder) {
  const protos = readdirSync(join(folder, 'proto'), { recursive: true })
    .filter(name => /\.(proto|yaml)$/.test(name) && !name.startsWith('gen'))
    .map(name => join(folder, 'proto', name))
  return [...protos, join(folder, 'package-lock.json'), fileURLToPath(import.meta.url)]
}

/** Reports whether proto/gen is missing or stale. */
export function isStale(folder = project) {
  const stamp = join(folder, 'proto', 'gen', '.stamp')
  if (!existsSync(stamp)) return true
  const generatedAtMs = statSync(stamp).mtimeMs
  return sourcesOf(folder).some(file => statSync(file).mtimeMs > generatedAtMs)
}

/**
 * Generates proto/gen if it is stale or `force` is set. Replaces the generated codec of Struct with
 * proto/struct.ts. Reports the start to `onProgress`. Returns whether it generated code.
 */
export function generateProtobuf({ folder = project, force = false, onProgress = () => {} } = {}) {
  if (!force && !isStale(folder)) return false
  onProgress('generating protobuf code')
  const proto = join(folder, 'proto')
  const bin = join(folder, 'node_modules', '.bin')
  // The plugin is a script that needs `node` on PATH. The running Node is sufficient.
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)
  execFileSync(join(bin, 'buf'), ['generate'], {
    cwd: proto,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PATH: path },
  })
  const google = join(proto, 'gen', 'google', 'protobuf')
  mkdirSync(google, { recursive: true })
  writeFileSync(join(google, 'struct.ts'), "export { Struct, Value } from '../../../struct.ts'\n")
  writeFileSync(join(proto, 'gen', '.stamp'), '')
  return true
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  generateProtobuf({
    force: process.argv.includes('--force'),
    onProgress: text => process.stdout.write(`${text}\n`),
  })
