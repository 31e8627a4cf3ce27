import { initDevStack, readStackState, upArgs } from './exported-state.ts'
import {
  createSandbox,
  requireSuccess,
  type RunningCommand,
  type Sandbox,
  waitUntil,
} from './sandbox.ts'

/** A program with two independent resources, `a` and `b`, and one that depends on `a`. */
const program = `'use strict'
const { Thing } = require('./gold')
const value = Number(process.env.VALUE || 1)
const delay = Number(process.env.DELAY || 0)
const a = new Thing('a', { value, delay })
const b = new Thing('b', { value, delay })
const c = new Thing('c', { value: 1 }, { dependsOn: [a] })
if (process.env.WITH_NEW) new Thing('new', { value: 1 }, { dependsOn: [a] })
exports.a = a.value
exports.b = b.value
`

/** The variables of an update that takes some seconds and changes all values. */
export const slowEnv = { VALUE: '2', DELAY: '12000', GOLD_ASKED: '1' }

/** Returns the URN of a resource of the program. */
export const goldUrnOf = (name: string): string =>
  `urn:pulumi:dev::small::gold:index:Thing::${name}`

/** A sandbox with the deployed program. */
export interface TargetedSandbox {
  readonly sandbox: Sandbox
  /** Starts an update with one target. */
  readonly startUp: (name: string, env?: Readonly<Record<string, string>>) => RunningCommand
  /**
   * Starts the updates of `a` and `b`, deployments 2 and 3, and waits until both are running at the
   * same time.
   */
  readonly startBoth: (
    env?: Readonly<Record<string, string>>,
  ) => Promise<readonly [RunningCommand, RunningCommand]>
  /** Waits until the provider was asked to update `a`. */
  readonly waitForUpdate: () => Promise<void>
  /** Returns the stored value of each resource. */
  readonly readValues: () => Promise<Readonly<Record<string, unknown>>>
}

/** Creates a sandbox and deploys the program. */
export async function createTargetedSandbox(): Promise<TargetedSandbox> {
  const sandbox = createSandbox('small', { files: { 'index.js': program } })
  await initDevStack(sandbox)
  requireSuccess(await sandbox.run(upArgs))
  const startUp: TargetedSandbox['startUp'] = (name, env = {}) =>
    sandbox.start([...upArgs, '--target', goldUrnOf(name)], { env: { ...slowEnv, ...env } })
  const waitForUpdates = (count: number, condition: string): Promise<void> =>
    waitUntil(
      () => sandbox.listChanges().filter(({ call }) => call === 'update').length === count,
      { condition },
    )
  const waitForUpdate = (): Promise<void> => waitForUpdates(1, 'the update of a')
  return {
    sandbox,
    startUp,
    async startBoth(env = {}) {
      const first = startUp('a', env)
      await waitForUpdate()
      const second = startUp('b', env)
      await waitForUpdates(2, 'both updates at the same time')
      return [first, second]
    },
    waitForUpdate,
    async readValues() {
      const { resources } = await readStackState(sandbox)
      const things = resources.filter(({ type }) => type === 'gold:index:Thing')
      return Object.fromEntries(things.map(({ name, inputs }) => [name, inputs['value']]))
    },
  }
}
