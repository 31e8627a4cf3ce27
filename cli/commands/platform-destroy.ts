import { bucketOf, namesOf } from '../../shared/config/aws-places.ts'
import { error } from '../../shared/errors/error.ts'
import type { Handler } from '../attach.ts'
import { failureOfCdk } from '../platform/cdk-failure.ts'
import { whereOf } from '../platform/where.ts'
import { confirmed } from '../session.ts'

/** `platform destroy`: removes all but what is durable, and says what stays. */
export const platformDestroy: Handler = async (session, flags) => {
  const where = whereOf(session, flags)
  const { installation, region } = where
  const tools = await session.tools.platform(session.io.stderr)
  const account = await tools.account(where)
  const text = `This removes the installation '${installation}' from account ${account}, ${region}: deployments under way stop, tables, bucket and keys stay.`
  if (!(await confirmed(session, flags.is('yes'), { text, answer: installation })))
    throw error('CONFIRMATION_DECLINED', 'the installation was not removed')
  const names = namesOf(installation)
  // What is removed need not be built before.
  const unbuilt = { ...where, env: { ...where.env, ANTICHAIN_ASSETS: 'none' } }
  const done = await tools.cdk(unbuilt, [
    'destroy',
    names.stack,
    '--exclusively',
    '--force',
    '--context',
    `antichain:installation=${installation}`,
    '--context',
    `antichain:region=${region}`,
  ])
  if (done.exit !== 0) throw failureOfCdk(done.said)
  const kept = [names.journalTable, names.catalogTable, bucketOf(installation, account, region)]
  session.warn(
    `Removed. The stack ${names.dataStack} stays, with ${kept.join(', ')} and two keys; docs/aws.md says how to remove these.`,
  )
  return 0
}
