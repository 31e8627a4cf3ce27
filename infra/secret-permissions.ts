import type { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { keyPurpose } from '../shared/config/aws-resource-names.ts'
import type { Grants } from './function-row.ts'
import { allowActions, type GrantContext, listGroupResources } from './grant-context.ts'

/**
 * Returns the statements for secrets. Three kinds of secrets differ in their encryption context. A
 * trigger's secret has the purpose `trigger`. A data key of the secrets manager `service` has the
 * purpose `service`. Any other data key has the field of its stack, and no purpose. KMS decrypts a
 * text only with its exact context. So the permission for stacks decrypts only data keys whose
 * context names a stack. The function itself refuses the data key of another stack.
 */
export function secretStatementsOf(grantContext: GrantContext, grants: Grants): PolicyStatement[] {
  const { triggerSecrets, stackSecrets, serviceKeys } = grants
  const keyArns = listGroupResources(grantContext).map(({ keys }) => keys.secrets.keyArn)
  const [triggerCondition, serviceCondition] = [keyPurpose.trigger, keyPurpose.service].map(
    purpose => ({
      StringEquals: { [contextKeyOf(keyPurpose.purposeField)]: purpose },
    }),
  )
  const stackCondition = { Null: { [contextKeyOf(keyPurpose.stackField)]: 'false' } }
  const openActions = ['kms:Decrypt']
  const sealAndOpenActions = ['kms:Encrypt', 'kms:Decrypt']
  return [
    ...(triggerSecrets === 'seal'
      ? [allowActions(['kms:Encrypt'], keyArns, triggerCondition)]
      : []),
    ...(triggerSecrets === 'open'
      ? [allowActions(['kms:Decrypt'], keyArns, triggerCondition)]
      : []),
    ...(stackSecrets === undefined
      ? []
      : [
          allowActions(
            stackSecrets === 'replace' ? sealAndOpenActions : openActions,
            keyArns,
            stackCondition,
          ),
        ]),
    ...(serviceKeys === undefined
      ? []
      : [
          allowActions(
            serviceKeys === 'create' ? sealAndOpenActions : openActions,
            keyArns,
            serviceCondition,
          ),
        ]),
  ]
}

/** Returns the condition key of a field of the encryption context. */
const contextKeyOf = (name: string): string => `kms:EncryptionContext:${name}`
