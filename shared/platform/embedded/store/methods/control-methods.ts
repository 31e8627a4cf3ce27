import type { Control, Lease, ProcessGroup, StopFlag } from '../../../../records/head.ts'
import type { DeploymentId, ExecutorId, LogNumber } from '../../../../records/ids.ts'
import type { Holder } from '../../../../records/log.ts'
import type { HandOver } from '../../../../records/pool.ts'
import { type Row, readIntegerColumn, readTextColumn } from '../database.ts'
import { defineRead, defineWrite } from './method.ts'
import { parseRecordJson, requireReadableFormat } from '../../../records/record-layouts.ts'

/** The stop flags in ascending order. A flag is stored as its index, which conditions compare. */
const stopLevels: readonly StopFlag[] = ['none', 'graceful', 'forced']

/**
 * The values of the column `retired` for a retired lease: another process, or the executor itself,
 * has retired it.
 */
const [retiredByOther, retiredBySelf] = [1, 2]

interface ExecutorKey {
  readonly deployment: DeploymentId
  readonly executor: ExecutorId
}

/** Methods of control records and leases. */
export const controlMethods = {
  'control.create': defineWrite(
    (
      database,
      args: { readonly deployment: DeploymentId; readonly holder: Holder; readonly token: string },
    ): boolean =>
      database.get(
        `INSERT INTO control (deployment, holder, token) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET token = token WHERE token = excluded.token RETURNING 1`,
        args.deployment,
        JSON.stringify(args.holder),
        args.token,
      ) !== undefined,
  ),
  'control.read': defineRead(
    (database, args: { readonly deployment: DeploymentId }): Control | null => {
      const row = database.get('SELECT * FROM control WHERE deployment = ?', args.deployment)
      if (row === undefined) return null
      requireReadableFormat('control', row)
      return {
        stop: stopLevels[readIntegerColumn(row, 'stop')] ?? 'forced',
        holder: parseHolder('control', row),
        closed: readIntegerColumn(row, 'closed') === 1,
        ...parseHandOver(row),
      }
    },
  ),
  'control.stop': defineWrite(
    (database, args: { readonly deployment: DeploymentId; readonly stop: StopFlag }): number =>
      database.run(
        'UPDATE control SET stop = ?2 WHERE deployment = ?1 AND stop < ?2',
        args.deployment,
        stopLevels.indexOf(args.stop),
      ),
  ),
  'control.handOver': defineWrite(
    (
      database,
      args: {
        readonly deployment: DeploymentId
        readonly holder: Holder
        readonly handOver: HandOver
      },
    ): boolean =>
      database.run(
        'UPDATE control SET handed = ? WHERE deployment = ? AND holder = ? AND closed = 0',
        JSON.stringify(args.handOver),
        args.deployment,
        JSON.stringify(args.holder),
      ) === 1,
  ),
  'control.hold': defineWrite(
    (
      database,
      args: {
        readonly deployment: DeploymentId
        readonly holder: Holder
        /** The number of the holder's take-over in the log. */
        readonly at: LogNumber
      },
    ): number =>
      database.run(
        `UPDATE control SET holder = ?2, handed = 'null', held = ?3
         WHERE deployment = ?1 AND held < ?3`,
        args.deployment,
        JSON.stringify(args.holder),
        args.at,
      ),
  ),
  /** Closes the deployment, and deletes its remaining messages, which receivers would only drop. */
  'control.close': defineWrite((database, args: { readonly deployment: DeploymentId }): number => {
    database.run('DELETE FROM chain WHERE deployment = ?', args.deployment)
    return database.run('UPDATE control SET closed = 1 WHERE deployment = ?', args.deployment)
  }),

  'leases.register': defineWrite(
    (database, args: ExecutorKey & { readonly holder: Holder }): number =>
      database.run(
        'INSERT INTO lease (deployment, executor, holder) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        args.deployment,
        args.executor,
        JSON.stringify(args.holder),
      ),
  ),
  'leases.renew': defineWrite(
    (database, args: ExecutorKey & { readonly groups: readonly ProcessGroup[] }): boolean =>
      database.run(
        `UPDATE lease SET counter = counter + 1, groups = ?
         WHERE deployment = ? AND executor = ? AND retired = 0`,
        JSON.stringify(args.groups),
        args.deployment,
        args.executor,
      ) === 1,
  ),
  'leases.retire': defineWrite((database, args: ExecutorKey): number =>
    database.run(
      `UPDATE lease SET retired = ${retiredByOther} WHERE deployment = ? AND executor = ? AND retired = 0`,
      args.deployment,
      args.executor,
    ),
  ),
  'leases.leave': defineWrite((database, args: ExecutorKey): number =>
    database.run(
      `UPDATE lease SET retired = ${retiredBySelf} WHERE deployment = ? AND executor = ?`,
      args.deployment,
      args.executor,
    ),
  ),
  'leases.list': defineRead(
    (database, args: { readonly deployment: DeploymentId }): readonly Lease[] =>
      database
        .all('SELECT * FROM lease WHERE deployment = ?', args.deployment)
        .map(row => parseLease(requireReadableFormat('lease', row))),
  ),
}

function parseHandOver(row: Row): Pick<Control, 'handedOver'> {
  const record = { kind: 'control', keys: keysOf(row) } as const
  const handedOver = parseRecordJson(record, readTextColumn(row, 'handed'), isHandOver)
  return handedOver === null ? {} : { handedOver }
}

function isHandOver(value: unknown): value is HandOver | null {
  return value === null || (typeof value === 'object' && 'why' in value && 'pool' in value)
}

function parseLease(row: Row): Lease {
  return {
    executor: readTextColumn(row, 'executor') as ExecutorId,
    holder: parseHolder('lease', row),
    counter: readIntegerColumn(row, 'counter'),
    retired: readIntegerColumn(row, 'retired') > 0,
    left: readIntegerColumn(row, 'retired') === retiredBySelf,
    groups: parseRecordJson(
      { kind: 'lease', keys: keysOf(row) },
      readTextColumn(row, 'groups'),
      isGroups,
    ),
  }
}

function parseHolder(kind: 'control' | 'lease', row: Row): Holder {
  return parseRecordJson({ kind, keys: keysOf(row) }, readTextColumn(row, 'holder'), isHolder)
}

function keysOf(row: Row): Readonly<Record<string, string>> {
  const executor = readTextColumn(row, 'executor')
  const deployment = readTextColumn(row, 'deployment')
  return executor === '' ? { deployment } : { deployment, executor }
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null && 'host' in value && 'pid' in value
}

function isGroups(value: unknown): value is ProcessGroup[] {
  return Array.isArray(value) && value.every(group => typeof group === 'object' && group !== null)
}
