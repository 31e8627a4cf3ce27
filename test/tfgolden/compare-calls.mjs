/** The comparison of calls other than plans and applies, as sets of different requests. */
import { formatCanonical } from './lossless-values.mjs'
import { addressOfCall } from './provider-calls.mjs'

const comparedCalls = new Set([
  ...['ConfigureProvider', 'ImportResourceState', 'MoveResourceState', 'ReadDataSource'],
  ...['CallFunction', 'OpenEphemeralResource', 'CloseEphemeralResource'],
  ...['UpgradeResourceState', 'UpgradeResourceIdentity'],
])

/** Creates the comparison of a case's calls. It keeps the configurations of earlier steps. */
export function createCallComparison(schemaOf) {
  const configurations = new Set()
  const formatCall = call => formatComparedCall(call, schemaOf)
  return {
    /** Lists the differences of a step. With `isTrial` the comparison remembers nothing. */
    compare(step, expected, observed, { isTrial = false } = {}) {
      const known = new Set(configurations)
      const isRead = call => call.rpc === 'ReadResource'
      const hasReads = expected.calls.some(isRead)
      const isCompared = call => comparedCalls.has(call.rpc) || (hasReads && isRead(call))
      const textsOf = ({ calls }) =>
        new Set(calls.filter(isCompared).filter(hasKnownRequest).map(formatCall))
      const [wanted, found] = [textsOf(expected), textsOf(observed)]
      for (const text of wanted) if (text.startsWith('ConfigureProvider')) known.add(text)
      if (!isTrial) for (const text of known) configurations.add(text)
      removeOptionalUpgrades({ step, expected, observed, wanted, found, schemaOf })
      const isAllowed = text =>
        wanted.has(text) ||
        known.has(text) ||
        (expected.exit !== 0 && text.startsWith('ConfigureProvider'))
      const unexpected = [...found].filter(text => !isAllowed(text))
      // Where a step fails, OpenTofu may have gone further.
      const missing = expected.exit === 0 ? [...wanted].filter(text => !found.has(text)) : []
      return [
        ...unexpected.map(text => `calls: unexpected ${text.slice(0, 300)}`),
        ...missing.map(text => `calls: missing ${text.slice(0, 300)}`),
        ...compareEphemerals(observed.calls),
      ]
    },
  }
}

const hasKnownRequest = ({ req }) => !JSON.stringify(req).includes('"$unknown"')

function formatComparedCall(call, schemaOf) {
  const request = call.rpc === 'UpgradeResourceState' ? upgradeOf(call, schemaOf) : call.req
  const compared = {
    ...request,
    source_provider: undefined,
    terraform_version: undefined,
    client_capabilities: undefined,
  }
  const subject = call.type ? addressOfCall(call) : call.key
  return `${call.rpc} ${subject} ${formatCanonical(compared)}`
}

/** Compares an upgrade by its result. From another version, the raw state is compared too. */
function upgradeOf({ type, req, res }, schemaOf) {
  return {
    version: req.version,
    state: res?.state ? res.state : req.state,
    ...(req.version === schemaOf(type)?.version ? {} : { raw: req.state }),
  }
}

/**
 * Removes optional upgrades from the sets `wanted` and `found`. The upgrades of a state that the
 * provider has just returned are optional. So are those of a state that leaves the stack without a
 * call, and those of a resource whose delete a preview only announces.
 */
function removeOptionalUpgrades({ step, expected, observed, wanted, found, schemaOf }) {
  const formatCall = call => formatComparedCall(call, schemaOf)
  const upgradesIn = calls => calls.filter(({ rpc }) => rpc === 'UpgradeResourceState')
  const format = (call, state) => `${addressOfCall(call)} ${formatCanonical(state)}`
  const isIgnored = (step.ignore ?? []).includes('upgrades')
  const [wantedUpgrades, foundUpgrades] = [upgradesIn(expected.calls), upgradesIn(observed.calls)]
  const isFromCurrent = call => call.req.version === schemaOf(call.type)?.version
  const returned = new Set([
    ...observed.calls
      .filter(({ res }) => res?.new_state)
      .map(call => format(call, call.res.new_state)),
    ...foundUpgrades
      .filter(call => call.res?.state && !isFromCurrent(call))
      .map(call => format(call, call.res.state)),
  ])
  const upgraded = new Set(foundUpgrades.map(call => format(call, call.res?.state)))
  for (const call of foundUpgrades) {
    const isOptional = returned.has(format(call, call.res?.state)) && !wanted.has(formatCall(call))
    if (isIgnored || isOptional) found.delete(formatCall(call))
  }
  for (const call of wantedUpgrades) {
    const action = expected.actions[addressOfCall(call)]
    const hasNoCall = action === 'remove' || (step.op === 'plan' && action === 'delete')
    const isRepeated = isFromCurrent(call) && upgraded.has(format(call, call.res?.state))
    if (!isIgnored && !hasNoCall && !isRepeated) continue
    found.delete(formatCall(call))
    wanted.delete(formatCall(call))
  }
}

/** Every opened ephemeral resource must be closed. */
function compareEphemerals(calls) {
  const opened = calls.filter(
    ({ rpc, res }) => rpc === 'OpenEphemeralResource' && res && res.diagnostics.length === 0,
  )
  const closed = calls.filter(({ rpc }) => rpc === 'CloseEphemeralResource')
  return opened.length === closed.length
    ? []
    : [`ephemeral: ${opened.length} opened, ${closed.length} closed`]
}
