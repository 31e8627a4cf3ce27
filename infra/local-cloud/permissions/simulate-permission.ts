import { runSimulation } from '@cloud-copilot/iam-simulate'
import type { PolicyStatement, ProcessConfiguration } from '../process-configurations.ts'
import type { RequiredPermission } from './required-permission.ts'

/** The decision of a role's policy about one permission. */
export type PermissionDecision =
  /** `statementIndexes`: the statements of the role that allow the permission. */
  | { readonly kind: 'allowed'; readonly statementIndexes: readonly number[] }
  | { readonly kind: 'denied' }

/** The policies that decide about the requests of a role. */
export type RolePolicies = Pick<ProcessConfiguration, 'role' | 'statements' | 'keyPolicy'>

/**
 * Decides whether a role has a permission, as IAM would. The role has only its inline policy, and
 * is in the account of the resource. Throws an Error for a policy or request that IAM would not
 * accept.
 */
export async function simulatePermission(
  account: string,
  { role, statements, keyPolicy }: RolePolicies,
  { action, resource, context }: RequiredPermission,
): Promise<PermissionDecision> {
  const simulation = await runSimulation(
    {
      request: {
        principal: `arn:aws:sts::${account}:assumed-role/${role}/local`,
        action,
        resource: { resource, accountId: account },
        contextVariables: Object.fromEntries(
          Object.entries(withTagKeys(context)).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : [...value],
          ]),
        ),
      },
      identityPolicies: [{ name: role, policy: policyOf(statements) }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      // The policy of a key must allow a request. For other resources in its account, a role needs
      // only its own policy.
      resourcePolicy: action.startsWith('kms:') ? keyPolicy : undefined,
    },
    {},
  )
  if (simulation.resultType === 'error')
    throw new Error(`IAM does not accept ${action}: ${JSON.stringify(simulation.errors)}`)
  if (simulation.overallResult !== 'Allowed' || simulation.resultType !== 'single')
    return { kind: 'denied' }
  const allowingStatements = simulation.result.analysis.identityAnalysis?.allowStatements ?? []
  // The library numbers statements without a name from 1.
  return {
    kind: 'allowed',
    statementIndexes: allowingStatements.map(({ explain }) => Number(explain.identifier) - 1),
  }
}

function policyOf(statements: readonly PolicyStatement[]): object {
  return { Version: '2012-10-17', Statement: withTagKeys(statements) }
}

/**
 * Replaces condition keys `kms:EncryptionContext:<name>` by `aws:PrincipalTag/<name>`, in policies
 * and requests alike. The library drops keys whose last part after a colon is variable. No policy
 * of an installation has conditions on tags of roles, so the decisions stay the same.
 */
function withTagKeys<Value extends object>(value: Value): Value {
  const text = JSON.stringify(value)
  return JSON.parse(text.replaceAll('"kms:EncryptionContext:', '"aws:PrincipalTag/')) as Value
}
