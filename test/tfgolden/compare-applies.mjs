/** The comparison of ApplyResourceChange calls: requests, plans and order. */
import { formatCanonical } from './lossless-values.mjs'
import { addressOfCall, formatApply, isApply, operationOfRequest } from './provider-calls.mjs'
import { listDifferences } from './value-differences.mjs'

/** Lists the differences between the applies of each resource. */
export function compareApplies(step, expected, observed) {
  const ignored = new Set(step.ignore)
  const [wanted, found] = [groupApplies(expected.calls), groupApplies(observed.calls)]
  const addresses = new Set([...wanted.keys(), ...found.keys()])
  return [...addresses].flatMap(address => {
    const wantedApplies = sortDeletes(wanted.get(address) ?? [])
    const foundApplies = sortDeletes(found.get(address) ?? [])
    const [wantedText, foundText] = [wantedApplies, foundApplies].map(applies =>
      applies.map(operationOfRequest).join(),
    )
    if (wantedText !== foundText)
      return [`applies of ${address}: want ${wantedText || 'none'}, got ${foundText || 'none'}`]
    return wantedApplies.flatMap((call, index) => {
      const isUnplanned = isDeleteBeforeCreate(wantedApplies, index, expected.actions[address])
      const omitted = [
        ...(isUnplanned || ignored.has('planned_private') ? ['planned_private'] : []),
        ...(ignored.has('config') ? ['config'] : []),
      ]
      return listDifferences(
        omitMembers(call.req, omitted),
        omitMembers(foundApplies[index].req, omitted),
        formatApply(call),
      )
    })
  })
}

function groupApplies(calls) {
  return Map.groupBy(calls.filter(isApply), addressOfCall)
}

/** Sorts adjacent deletes of one resource (deposed objects), which may have any order. */
function sortDeletes(applies) {
  const groups = []
  for (const call of applies) {
    const last = groups.at(-1)
    if (
      operationOfRequest(call) === 'delete' &&
      last !== undefined &&
      operationOfRequest(last[0]) === 'delete'
    )
      last.push(call)
    else groups.push([call])
  }
  const priorText = ({ req }) => formatCanonical(req.prior_state)
  return groups.flatMap(group =>
    group.toSorted((left, right) => (priorText(left) < priorText(right) ? -1 : 1)),
  )
}

/**
 * Reports whether an apply is the delete of a replacement that deletes first. OpenTofu makes no
 * plan for this delete.
 */
function isDeleteBeforeCreate(applies, index, action) {
  const followsCreate = applies.slice(0, index).some(call => operationOfRequest(call) === 'create')
  return operationOfRequest(applies[index]) === 'delete' && action === 'replace' && !followsCreate
}

const omitMembers = (object, keys) =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))

const plannedMembers = ['planned_state', 'planned_private', 'planned_identity']

/** Lists the applies whose plan is not a response of the provider for the same prior state. */
export function comparePlans(expected, observed) {
  const groups = groupApplies(observed.calls)
  const plans = observed.calls.filter(call => call.rpc === 'PlanResourceChange' && call.res)
  return observed.calls.filter(isApply).flatMap(call => {
    const address = addressOfCall(call)
    const applies = groups.get(address)
    const isUnplanned =
      operationOfRequest(call) === 'delete' &&
      (call.type.startsWith('tfgold5_') ||
        isDeleteBeforeCreate(applies, applies.indexOf(call), expected.actions[address]))
    const isPlanned = plans.some(
      plan => plan.end < call.begin && addressOfCall(plan) === address && hasPlanOf(call.req, plan),
    )
    return isUnplanned || isPlanned
      ? []
      : [`plan: the provider answered no plan for ${formatApply(call)}`]
  })
}

function hasPlanOf(request, plan) {
  const isSame = (left, right) => formatCanonical(left) === formatCanonical(right)
  return (
    plannedMembers.every(member => isSame(plan.res[member], request[member])) &&
    isSame(plan.req.prior_state, request.prior_state)
  )
}

/** Lists the pairs of applies that have the wrong order. */
export function compareOrder(expected, observed) {
  const applies = Map.groupBy(observed.calls.filter(isApply), formatApply)
  return expected.order.flatMap(pair => {
    const [first, second] = pair.split(' < ').map(text => applies.get(text) ?? [])
    const isComparable = first.length === 1 && second.length === 1
    return isComparable && first[0].end >= second[0].begin ? [`order: ${pair}`] : []
  })
}
