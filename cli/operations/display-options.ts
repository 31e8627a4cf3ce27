import { isTruthy } from '../../shared/config/truthy.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import { findCiService } from '../display/ci-group.ts'
import type { Flags } from '../arguments/flags.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import type { PreparedOperation } from './prepared-operation.ts'
import type { CliSession } from '../session/session.ts'
import type { DisplayOptions } from '../session/tools.ts'

/** Creates the options of an operation's display from the operation and the flags. */
export function createDisplayOptions(
  session: CliSession,
  flags: Flags,
  operation: Pick<PreparedOperation, 'stack' | 'refreshesFirst'> & { readonly kind: Command },
): DisplayOptions {
  return {
    kind: operation.kind,
    dryRun: false,
    refreshesFirst: operation.refreshesFirst,
    json: isJsonOutput(flags),
    summaryOnly: flags.text('output') === 'json',
    digest: !isTruthy(session.io.env['PULUMI_ENABLE_STREAMING_JSON_PREVIEW']),
    eventLog: flags.text('eventLog'),
    diff: flags.isSet('diff'),
    color: session.color,
    interactive: session.mayPrompt && !isJsonOutput(flags),
    suppressOutputs: flags.isSet('suppressOutputs'),
    showSecrets: flags.isSet('showSecrets') || flags.text('showSecrets') === 'true',
    showSames: flags.isSet('showSames'),
    showReplacementSteps: flags.isSet('showReplacementSteps'),
    showReads: flags.isSet('showReads'),
    showConfig: flags.isSet('showConfig'),
    showPolicyRemediations: flags.isSet('showPolicyRemediations'),
    debug: flags.isSet('debug'),
    urns: flags.isSet('urns'),
    verbose: session.verbose,
    stack: stackPartsOf(operation.stack).stack,
    ciService: findCiService(session.io.env),
    stdout: session.io.stdout,
    stderr: session.io.stderr,
  }
}
