import { namesOf } from '../../shared/config/aws-places.ts'
import { error } from '../../shared/errors/error.ts'
import type { Handler } from '../attach.ts'
import type { Flags } from '../flags.ts'
import { failureOfCdk } from '../platform/cdk-failure.ts'
import type { Where } from '../platform/platform-port.ts'
import { whereOf } from '../platform/where.ts'
import { confirmed } from '../session.ts'

/**
 * `platform deploy`: shows what would change, asks, and has CloudFormation change it. With
 * --preview it ends before it asks.
 */
export const platformDeploy: Handler = async (session, flags) => {
  const where = whereOf(session, flags)
  const context = contextOf(where, flags)
  const tools = await session.tools.platform(session.io.stderr)
  const account = await tools.account(where)
  const names = namesOf(where.installation)
  session.warn(`Installation '${where.installation}', account ${account}, ${where.region}.`)
  const stacks = [names.dataStack, names.stack]
  const shown = await tools.cdk(where, ['diff', ...stacks, ...context])
  if (shown.exit !== 0) throw failureOfCdk(shown.said)
  if (flags.is('preview')) return 0
  const text = `This changes the installation '${where.installation}' in account ${account}, ${where.region}.`
  if (!(await confirmed(session, flags.is('yes'), { text, answer: where.installation })))
    throw error('CONFIRMATION_DECLINED', 'the installation was not changed')
  const done = await tools.cdk(where, [
    'deploy',
    ...stacks,
    ...context,
    // A person has just seen the same and said yes.
    '--require-approval',
    'never',
  ])
  if (done.exit !== 0) throw failureOfCdk(done.said)
  session.warn(
    'Deployed. `antichain platform status` shows its addresses, `antichain platform token` lets you in.',
  )
  return 0
}

/** Settings as the app reads them. Throws CLI_USAGE. */
function contextOf({ installation, region }: Where, flags: Flags): readonly string[] {
  const given = flags.list('set').map(text => {
    if (!/^[A-Za-z]+=/.test(text)) throw error('CLI_USAGE', `--set wants name=value, not '${text}'`)
    return text
  })
  return [`installation=${installation}`, `region=${region}`, ...given].flatMap(text => [
    '--context',
    `antichain:${text}`,
  ])
}
