import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { createProcesses } from '../../../shared/platform/system/processes.ts'
import type { ProcessesPort } from '../../../shared/ports/system.ts'
import { createPluginHost } from '../../../shared/providers/plugins/plugin-host.ts'
import type { PluginMessage } from '../../../shared/providers/plugins/plugin-message.ts'
import type { PluginDescriptor, PluginHost, Provider } from '../../../shared/providers/provider.ts'

const project = resolve(import.meta.dirname, '../../..')

/** A program folder that contains the SDK. */
export const sdkFolder = join(project, 'test/fixtures/sdk')

const nodeModules = join(sdkFolder, 'node_modules')

/** A plugin host over real processes, with a cloud folder for the golden provider. */
export interface PluginRig {
  readonly host: PluginHost
  readonly processes: ProcessesPort
  readonly messages: readonly PluginMessage[]
  readonly load: (name: string, config?: Record<string, string>) => Promise<Provider>
  /** Makes the golden provider fail or hang next time: `{ 'create:a': 1 }`. */
  readonly setFaults: (faults: Record<string, number | 'always'>) => void
  /** Returns the golden provider's log of its calls, one JSON object per line. */
  readonly readCalls: () => string
  readonly close: () => Promise<void>
}

/** Plugins run with the Node of the tests, because the SDK requires at least 22. */
const path = [
  dirname(process.execPath),
  join(project, 'test/golden/provider'),
  join(import.meta.dirname, 'simple'),
  '/usr/bin',
  '/bin',
].join(delimiter)

/** Creates a rig. `variables` is added to the environment. */
export function createPluginRig(variables: Record<string, string> = {}): PluginRig {
  if (!existsSync(nodeModules)) throw new Error(`run npm install in ${sdkFolder}`)
  const folder = mkdtempSync(join(tmpdir(), 'rig-'))
  const cloud = join(folder, 'cloud')
  mkdirSync(cloud)
  const messages: PluginMessage[] = []
  const processes = createProcesses()
  const env = {
    PATH: path,
    HOME: folder,
    GOLD_CLOUD: cloud,
    GOLD_NODE_PATH: nodeModules,
    SDK_NODE_PATH: nodeModules,
    ...variables,
  }
  const host = createPluginHost({
    processes,
    env,
    path: env.PATH,
    home: folder,
    programFolder: sdkFolder,
    project: 'proj',
    runtimeOptions: { typescript: false },
    engineAddress: () => '127.0.0.1:1',
    report: message => messages.push(message),
  })
  return {
    host,
    processes,
    messages,
    load: (name, packageConfig = {}) =>
      host.load(createDescriptor(name), { pkg: name, packageConfig }),
    setFaults: faults => writeFileSync(join(cloud, 'faults.json'), JSON.stringify(faults)),
    readCalls() {
      const file = join(cloud, 'log.jsonl')
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    },
    async close() {
      await host.close()
      await processes.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the descriptor of a plugin, of any version by default. */
export function createDescriptor(name: string, version = ''): PluginDescriptor {
  return { kind: 'resource', name, version, downloadUrl: '' }
}
