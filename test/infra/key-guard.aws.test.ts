/** The rules with which CloudFormation refuses another key for existing data and secrets. */
import type { Template } from 'aws-cdk-lib/assertions'
import { expect, test } from 'vitest'
import { keyParameters } from '../../shared/config/aws-resource-names.ts'
import { synthesise } from './synthesise.ts'

const arn = 'arn:aws:kms:eu-central-1:111122223333:key/1'
const other = 'arn:aws:kms:eu-central-1:111122223333:key/2'

interface Rule {
  readonly Assertions: readonly {
    readonly Assert: { readonly 'Fn::Equals': readonly [{ readonly Ref: string }, string] }
    readonly AssertDescription: string
  }[]
}

/**
 * Returns the descriptions of the failed assertions of a template, as CloudFormation evaluates them
 * with the parameters of the previous deployment. A new parameter has its default.
 */
function listRefusals(template: Template, previous: Readonly<Record<string, string>> = {}) {
  const { Parameters, Rules } = template.toJSON() as {
    readonly Parameters: Readonly<Record<string, { readonly Default: string }>>
    readonly Rules: Readonly<Record<string, Rule>>
  }
  return Object.entries(Rules)
    .filter(([name]) => name !== 'CheckBootstrapVersion')
    .flatMap(([, { Assertions }]) => Assertions)
    .filter(({ Assert: { 'Fn::Equals': operands } }) => {
      const [{ Ref }, expected] = operands
      return (previous[Ref] ?? Parameters[Ref]?.Default) !== expected
    })
    .map(({ AssertDescription }) => AssertDescription)
}

const parametersOf = ([dataKey, secretsKey]: readonly [string, string]) => ({
  [keyParameters.dataKey]: dataKey,
  [keyParameters.secretsKey]: secretsKey,
})

test('both stacks refuse another key than that of the previous deployment', () => {
  for (const [settings, same, changes] of [
    [
      {},
      ['own', 'own'],
      [
        ['own', arn],
        ['aws', 'own'],
      ],
    ],
    [
      { secretsKey: arn },
      ['own', arn],
      [
        ['own', other],
        ['own', 'own'],
      ],
    ],
    [{ dataKey: 'aws', secretsKey: arn }, ['aws', arn], [['own', arn]]],
  ] as const) {
    const { data, main } = synthesise(settings)
    for (const template of [data, main]) {
      // The first deployment, and that of an installation whose stacks have no parameters yet.
      expect(listRefusals(template)).toEqual([])
      expect(listRefusals(template, parametersOf(same))).toEqual([])
      for (const previous of changes)
        expect(listRefusals(template, parametersOf(previous))).toEqual([
          expect.stringMatching(/^the setting (dataKey|secretsKey) cannot change/),
        ])
    }
  }
})
