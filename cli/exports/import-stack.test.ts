import { expect, test } from 'vitest'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import type { DeploymentId, EpochMs, StackId } from '../../shared/records/ids.ts'
import { emptyDeployment } from '../../shared/state/empty-deployment.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { CliSession } from '../session/session.ts'
import type { ExportedStackReader } from './exported-stack.ts'
import { findImportStatus } from './import-stack.ts'

const id = 'organization/shop/dev' as StackId
const stateOf = (name: string): StoredDeployment => ({
  ...emptyDeployment,
  resources: [{ urn: `urn:pulumi:dev::shop::a:b:C::${name}`, custom: false, type: 'a:b:C' }],
})
const entry = { command: 'up', message: '', startedAt: 1 as EpochMs, result: 'succeeded' } as const
const exported = stateOf('a')

/** The target: the start times of its deployments, and its state. */
interface Target {
  readonly starts: readonly number[]
  readonly state?: StoredDeployment
  readonly isRemote?: boolean
}

/** Compares an export with the target. `hasDeployment`: whether the export has a deployment. */
function compare({ starts, state, isRemote = false }: Target, hasDeployment = true) {
  const history = starts.map((startedAt, index): HistoryRecord => {
    return {
      ...entry,
      startedAt: startedAt as EpochMs,
      deployment: `${id}/${index}` as DeploymentId,
    }
  })
  const catalog = {
    getStack: async () => ({ id, current: '', deployments: starts.length }),
    listHistory: async () => history,
  }
  const engine = {
    ...(isRemote ? { remote: {} } : {}),
    platform: { catalog },
    exportState: async () => state,
  }
  const session = { openEngine: async () => engine } as unknown as CliSession
  const reader = {
    id,
    stack: { version: hasDeployment ? 1 : 0 },
    readEntries: async () => (hasDeployment ? [entry] : []),
    readState: async () => (hasDeployment ? exported : undefined),
  } as unknown as ExportedStackReader
  return findImportStatus(session, reader)
}

test.each([false, true])(
  'an empty stack of the target counts as an interrupted import, over an API: %s',
  async isRemote => {
    expect(await compare({ starts: [], isRemote }, false)).toBe('partial')
    expect(await compare({ starts: [], isRemote })).toBe('partial')
  },
)

test.each([false, true])(
  'a stack with other deployments is present if it has the state of the export, over an API: %s',
  async isRemote => {
    const starts = [7, 8]
    expect(await compare({ starts, isRemote, state: stateOf('a') })).toBe('present')
    expect(await compare({ starts, isRemote, state: stateOf('b') })).toBe('exists')
  },
)

test('on a machine, a stack with the deployments of the export is present, even with another state', async () => {
  expect(await compare({ starts: [1], state: stateOf('b') })).toBe('present')
})
