import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'

/** What a source plugin says of how it is run. */
export interface PluginProject {
  readonly runtime: string
  readonly options: Readonly<Record<string, unknown>>
  /** The range of versions of Pulumi that it runs with, '' = any. */
  readonly requiredVersion: string
}

/** The project file of a plugin from source; undefined without one. Throws PLUGIN_FAILED. */
export function readPluginProject(folder: string): PluginProject | undefined {
  const file = join(folder, 'PulumiPlugin.yaml')
  if (!existsSync(file)) return undefined
  const read: unknown = parse(readFileSync(file, 'utf8'))
  const { runtime, requiredPulumiVersion: range } = Object(read) as Record<string, unknown>
  const requiredVersion = typeof range === 'string' ? range : ''
  if (typeof runtime === 'string' && runtime !== '')
    return { runtime, options: {}, requiredVersion }
  const { name, options } = Object(runtime) as { name?: unknown; options?: unknown }
  if (typeof name !== 'string' || name === '')
    throw error('PLUGIN_FAILED', `${file} names no runtime`)
  return { runtime: name, options: Object(options) as Record<string, unknown>, requiredVersion }
}

/**
 * Installs what a plugin from source needs: of Node by npm; others come with what they need.
 * Throws PLUGIN_FAILED.
 */
export async function installDependencies(
  folder: string,
  about: {
    readonly processes: ProcessesPort
    readonly env: Readonly<Record<string, string>>
    readonly said: (text: string) => void
  },
): Promise<void> {
  const project = readPluginProject(folder)
  const isNode = project?.runtime === 'nodejs' && existsSync(join(folder, 'package.json'))
  if (!isNode || existsSync(join(folder, 'node_modules'))) return
  about.said(`installing the dependencies of ${folder}`)
  const child = about.processes.spawn({
    command: 'npm',
    args: ['install', '--no-audit', '--no-fund', '--loglevel=error'],
    cwd: folder,
    env: about.env,
  })
  const lines: string[] = []
  const drain = async (stream: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of stream) lines.push(Buffer.from(chunk).toString('utf8'))
  }
  await Promise.all([drain(child.stdout), drain(child.stderr)])
  const { code } = await child.exit
  if (code === 0) return
  const last = lines.join('').trim().slice(-2_000)
  throw error('PLUGIN_FAILED', `npm install in ${folder} ended with exit code ${code}: ${last}`)
}
