import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { createProcesses } from '../../../shared/platform/system/processes.ts'
import type { ProcessesPort } from '../../../shared/ports/system.ts'
import {
  createPluginHost,
  type PluginMessage,
} from '../../../shared/providers/plugins/plugin-host.ts'
import type { PluginDescriptor, PluginHost, Provider } from '../../../shared/providers/provider.ts'

const project = resolve(import.meta.dirname, '../../..')

/** A program folder that has the SDK. */
export const sdkFolder = join(project, 'test/fixtures/sdk')

const nodeModules = join(sdkFolder, 'node_modules')

/** A plugin host over real processes, with a cloud folder for the golden provider. */
export interface PluginRig {
  readonly host: PluginHost
  readonly processes: ProcessesPort
  readonly messages: readonly PluginMessage[]
  readonly load: (name: string, config?: Record<string, string>) => Promise<Provider>
  /** Asks the golden provider to fail or hang next time: `{ 'create:a': 1 }`. */
  readonly setFaults: (faults: Record<string, number | 'always'>) => void
  /** What the golden provider noted of its calls, a JSON object a line. */
  readonly readCalls: () => string
  readonly close: () => Promise<void>
}

/** Plugins run with the Node that runs the tests: the SDK takes none below 22. */
const path = [
  dirname(process.execPath),
  join(project, 'test/golden/provider'),
  join(import.meta.dirname, 'simple'),
  '/usr/bin',
  '/bin',
].join(delimiter)

/** Makes a rig; `more` is added to the environment. */
export function createPluginRig(more: Record<string, string> = {}): PluginRig {
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
    ...more,
  }
  const host = createPluginHost({
    processes,
    env,
    path: env.PATH,
    home: folder,
    programDirectory: sdkFolder,
    project: 'proj',
    runtimeOptions: { typescript: false },
    engineAddress: () => '127.0.0.1:1',
    report: what => messages.push(what),
  })
  return {
    host,
    processes,
    messages,
    load: (name, config = {}) => host.load(createDescriptor(name), { pkg: name, config }),
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

/** A plugin of any version. */
export function createDescriptor(name: string, version = ''): PluginDescriptor {
  return { kind: 'resource', name, version, downloadUrl: '' }
}
