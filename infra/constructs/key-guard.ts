import { CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib'
import { keyParameters } from '../../shared/config/aws-resource-names.ts'
import type { Settings } from '../settings.ts'

/**
 * Lets CloudFormation refuse an update of a stack that changes the setting of a key, before any
 * resource changes. With another key, no function could open the existing data or secrets. The CDK
 * keeps the value of a parameter from the previous deployment, and a rule compares it with the
 * setting. `platform deploy` has checks of its own, and passes the values.
 */
export function createKeyGuard(stack: Stack, settings: Settings): void {
  for (const name of ['dataKey', 'secretsKey'] as const) {
    const keptValue = new CfnParameter(stack, keyParameters[name], {
      default: settings[name],
      description: `The setting ${name}. Keep its value.`,
    })
    new CfnRule(stack, `${keyParameters[name]}IsKept`, {
      assertions: [
        {
          assert: Fn.conditionEquals(keptValue.valueAsString, settings[name]),
          assertDescription: `the setting ${name} cannot change, because the existing data is encrypted with the previous key (docs/aws.md)`,
        },
      ],
    })
  }
}
