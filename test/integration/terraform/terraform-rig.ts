import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createProcesses } from '../../../shared/platform/system/processes.ts'
import type { PluginMessage } from '../../../shared/providers/plugins/plugin-message.ts'
import type { TerraformProcess } from '../../../shared/providers/terraform/client/connect-provider.ts'
import {
  createTerraformHost,
  type TerraformStartRequest,
} from '../../../shared/providers/terraform/client/terraform-host.ts'
import { buildTestProvider } from '../../tfgolden/build-provider.ts'

/** A call in the log of the test provider. */
interface LoggedCall {
  readonly rpc?: string
  readonly req?: Readonly<Record<string, unknown>>
  readonly res?: Readonly<Record<string, unknown>>
}

/** A host over real processes, with a cloud for the test provider. */
export interface TerraformRig {
  readonly messages: readonly PluginMessage[]
  /** Returns the file of the test provider: `tfgold` speaks protocol 6, `tfgold5` protocol 5. */
  readonly pathOf: (provider: 'tfgold' | 'tfgold5') => string
  /** Writes a shell script with these lines. Returns its path. */
  readonly writeScript: (script: string) => string
  readonly start: (
    path: string,
    options?: Partial<TerraformStartRequest> & { readonly env?: Record<string, string> },
  ) => Promise<TerraformProcess>
  /** Makes the provider fail next time: `{ 'crash:create:a': 1 }`. */
  readonly setFaults: (faults: Readonly<Record<string, number | 'always'>>) => void
  readonly readCalls: () => readonly LoggedCall[]
  readonly listPids: () => readonly number[]
  /** Lists the sockets of running providers, and those that ended providers left behind. */
  readonly listSockets: () => readonly string[]
  readonly close: () => Promise<void>
}

/** Creates a rig. */
export function createTerraformRig(): TerraformRig {
  const programs = buildTestProvider()
  const folder = mkdtempSync(join(tmpdir(), 'tf-rig-'))
  const files = { log: join(folder, 'log'), faults: join(folder, 'faults') }
  const messages: PluginMessage[] = []
  const processes = createProcesses()
  const started: TerraformProcess[] = []
  let scriptCount = 0
  mkdirSync(join(folder, 'cloud'))
  writeFileSync(files.log, '')
  const baseEnv = {
    PATH: process.env['PATH'] ?? '',
    TMPDIR: folder,
    TFGOLD_LOG: files.log,
    TFGOLD_CLOUD: join(folder, 'cloud'),
    TFGOLD_FAULTS: files.faults,
  }
  return {
    messages,
    pathOf: provider => join(programs, `terraform-provider-${provider}`),
    writeScript(script) {
      scriptCount += 1
      const path = join(folder, `script${scriptCount}`)
      writeFileSync(path, `#!/bin/sh\n${script}\n`)
      chmodSync(path, 0o755)
      return path
    },
    async start(path, { env = {}, ...options } = {}) {
      const host = createTerraformHost({
        processes,
        env: { ...baseEnv, ...env },
        report: message => messages.push(message),
      })
      const source = 'golden/tfgold'
      const provider = await host.start({ name: 'tfgold', source, path, cwd: folder, ...options })
      started.push(provider)
      return provider
    },
    setFaults: faults => writeFileSync(files.faults, JSON.stringify(faults)),
    readCalls: () =>
      readFileSync(files.log, 'utf8')
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as LoggedCall),
    listPids: () => processes.listGroups().map(({ pid }) => pid),
    listSockets: () =>
      readdirSync(folder, { withFileTypes: true })
        .filter(entry => entry.isSocket())
        .map(({ name }) => name),
    async close() {
      await Promise.all(started.map(provider => provider.close()))
      await processes.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
