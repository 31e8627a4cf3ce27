import type { CopyHeader } from '../../../../records/journal-copy.ts'
import { type DeploymentId, deploymentPartsOf, stackPartsOf } from '../../../../records/ids.ts'
import { readTextColumn } from '../database.ts'
import { defineMultiWrite, defineRead, defineWrite } from './method.ts'

/** The method whose write marks the end of a copy. */
export const endCopyMethod = 'copies.end'

/** Methods of journal copies. `copied-writes.ts` adds their parts. */
export const copyMethods = {
  /** Prevents a copy of a new deployment, by a row that has no id and is marked as ended. */
  'copies.skip': defineWrite(
    (database, { deployment }: { readonly deployment: DeploymentId }): number =>
      database.run(
        "INSERT OR IGNORE INTO journal_copy (deployment, id, is_ended) VALUES (?, '', 1)",
        deployment,
      ),
  ),

  /** Returns the id of a deployment's copy. */
  'copies.find': defineRead(
    (database, args: { readonly deployment: DeploymentId }): string | null => {
      const row = database.get(
        "SELECT id FROM journal_copy WHERE deployment = ? AND id <> ''",
        args.deployment,
      )
      return row === undefined ? null : readTextColumn(row, 'id')
    },
  ),

  /**
   * Changes no record. The call becomes the last part of the copy, which tells readers that the
   * deployment has ended.
   */
  [endCopyMethod]: defineWrite(
    (database, args: { readonly deployment: DeploymentId }): boolean =>
      database.get('SELECT 1 FROM journal_copy WHERE deployment = ?', args.deployment) !==
      undefined,
  ),

  /** Ends the copying of a deployment. Its unsent parts are never sent. */
  'copies.remove': defineMultiWrite(
    (database, { deployment }: { readonly deployment: DeploymentId }): number =>
      database.run('DELETE FROM journal_part WHERE deployment = ?', deployment) +
      database.run('DELETE FROM journal_copy WHERE deployment = ?', deployment),
  ),

  /** Adds the records that a copy starts from. The store has no record of the stack yet. */
  'copies.restore': defineMultiWrite((database, { header }: { readonly header: CopyHeader }) => {
    const { stack: id, number } = deploymentPartsOf(header.deployment)
    const { createdAt, version, snapshot, deployments } = header.stack
    database.run(
      `INSERT INTO stack (id, project, token, created_at, current, version, snapshot, deployments)
       VALUES (?, ?, '', ?, ?, ?, ?, ?)`,
      ...[id, stackPartsOf(id).project, createdAt, header.deployment],
      ...[version, snapshot, deployments],
    )
    if (snapshot !== '')
      database.run(
        'INSERT INTO snapshot (stack, version, blob) VALUES (?, ?, ?)',
        ...[id, version, snapshot],
      )
    return database.run(
      'INSERT INTO history (stack, number, begun) VALUES (?, ?, ?)',
      ...[id, number, header.begun],
    )
  }),
}
