import { hasCode, messageOf } from '../../errors/error.ts'
import { collectSecretTexts, createRedactor } from '../../values/redact-secrets.ts'
import type { ProviderContext } from './check-context.ts'
import type { ProviderCheckRequest, ProviderCheckRun } from './check-request.ts'
import { type CheckSession, createCheckSession } from './check-session.ts'
import {
  type Contract,
  type ContractOutcome,
  fail,
  passed,
  PreconditionError,
  skip,
} from './contract.ts'
import { closingContracts, handshakeContract, providerContracts } from './provider-contracts.ts'
import type { ProviderReport, ReportEntry } from './report.ts'
import { checkTypes } from './run-type-checks.ts'

/** Checks a provider. A flaw of the provider is an entry of the report, and never an error. */
export async function runProviderChecks(request: ProviderCheckRequest): Promise<ProviderReport> {
  const startedMs = request.nowMs()
  const entries: ReportEntry[] = []
  let description = ''
  const session = createCheckSession(request.open, {
    providerInputs: request.config.provider,
    callTimeoutMs: request.callTimeoutMs,
  })
  const run: ProviderCheckRun = {
    request,
    context: session.context,
    record: createRecorder(request, session, entries),
  }
  try {
    const handshake = await run.record(handshakeContract, async () => {
      description = await session.start()
      return passed
    })
    if (handshake.kind === 'passed') await checkStartedProvider(run, session)
  } finally {
    await session.close()
  }
  return {
    provider: request.name,
    protocol: request.protocol,
    description,
    entries,
    durationMs: request.nowMs() - startedMs,
  }
}

async function checkStartedProvider(run: ProviderCheckRun, session: CheckSession): Promise<void> {
  let isUsable = true
  for (const contract of providerContracts) {
    const outcome = await recordProviderContract(run, contract, isUsable)
    if (contract.id !== 'configure') continue
    isUsable = outcome?.kind === 'passed'
    if (isUsable) session.setConfigured()
  }
  if (isUsable) await checkTypes(run)
  for (const contract of closingContracts) await recordProviderContract(run, contract, isUsable)
}

/** Runs a contract of the whole provider, if the contract applies to the protocol. */
async function recordProviderContract(
  { request, context, record }: ProviderCheckRun,
  contract: Contract<ProviderContext>,
  isUsable: boolean,
): Promise<ContractOutcome | undefined> {
  if (!contract.protocols.includes(request.protocol)) return undefined
  return record(contract, () => {
    if (!isUsable) throw new PreconditionError('configure')
    return contract.run(context)
  })
}

function createRecorder(
  request: ProviderCheckRequest,
  session: CheckSession,
  entries: ReportEntry[],
): ProviderCheckRun['record'] {
  return async (contract, run, { type, runsAlways = false, listSecretSources } = {}) => {
    const startedMs = request.nowMs()
    const outcome =
      request.isInterrupted() && !runsAlways
        ? skip('the check was interrupted')
        : await runContract(async () => {
            await session.restore()
            return run()
          })
    const redact = createRedactor(
      collectSecretTexts(request.config.provider, ...(listSecretSources?.() ?? [])),
    )
    const redacted =
      outcome.kind === 'passed' ? outcome : { ...outcome, reason: redact(outcome.reason) }
    entries.push({ contract, type, outcome: redacted, durationMs: request.nowMs() - startedMs })
    return outcome
  }
}

/** Runs a contract. An error of the provider fails it, and a missing precondition skips it. */
async function runContract(run: () => Promise<ContractOutcome>): Promise<ContractOutcome> {
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof PreconditionError)
      return { ...skip(thrown.message), requiredContract: thrown.requiredContract }
    if (hasCode(thrown, 'INTERNAL_ASSERTION')) throw thrown
    return fail(messageOf(thrown))
  }
}
