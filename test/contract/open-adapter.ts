/**
 * contract: the requirements on every adapter of a port, as suites that do not depend on its
 * implementation. Each suite is a function of a name and of a way to open the ports. An adapter's
 * test file calls it.
 */
import { afterAll, beforeAll } from 'vitest'
import type {
  BlobHash,
  DeploymentId,
  EpochMs,
  ExecutorId,
  LogNumber,
  OperationId,
  OwnerToken,
  StackId,
  WriterToken,
} from '../../shared/records/ids.ts'
import { deploymentIdOf, stackIdOf } from '../../shared/records/ids.ts'
import type { Holder } from '../../shared/records/log.ts'

/** Open ports for one suite. */
export interface AdapterHandle<Ports> {
  readonly ports: Ports
  readonly close: () => Promise<void>
}

/** Opens the ports of a suite. */
export type OpenAdapter<Ports> = () => Promise<AdapterHandle<Ports>>

/** Opens ports for the duration of a suite. `onOpen` receives them before its first test. */
export function withAdapter<Ports>(open: OpenAdapter<Ports>, onOpen: (ports: Ports) => void): void {
  let close: () => Promise<void>
  beforeAll(async () => {
    const handle = await open()
    close = handle.close
    onOpen(handle.ports)
  })
  afterAll(() => close())
}

let stackCount = 0

/** Returns the id of a stack that no other test uses, not even in an earlier run on the account. */
export function createStackId(): StackId {
  stackCount += 1
  return stackIdOf('contract', `s${Date.now().toString(36)}-${process.pid}-${stackCount}`)
}

/** Returns the id of a deployment of a stack that no other test uses. */
export function createDeploymentId(): DeploymentId {
  return deploymentIdOf(createStackId(), 1)
}

export const toOperationId = (number: number): OperationId => number as OperationId
export const toOwnerToken = (text: string): OwnerToken => text as OwnerToken
export const toExecutorId = (text: string): ExecutorId => text as ExecutorId
export const toWriterToken = (text: string): WriterToken => text as WriterToken
export const toLogNumber = (number: number): LogNumber => number as LogNumber
export const toEpochMs = (number: number): EpochMs => number as EpochMs
export const toBlobHash = (digit: string): BlobHash => digit.repeat(64) as BlobHash

/** A holder for tests. */
export const contractHolder: Holder = { host: 'here', pid: 7, started: '100', who: 'someone: up' }
