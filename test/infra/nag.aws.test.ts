import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../infra/app.ts'
import { createAssets } from '../../infra/assets.ts'
import { type NagException, nagExceptionsOf } from '../../infra/nag-exceptions.ts'
import { readInstallationSettings } from '../../infra/settings.ts'
import { toContext, readUsualContext } from './synthesise.ts'

interface Finding {
  readonly rule: string
  readonly path: string
}

/**
 * Returns the findings of cdk-nag. `with-exceptions` omits those with an exception, and synthesis
 * must succeed. `without-exceptions` returns all, and synthesis must fail.
 */
function listFindings(
  settings: Record<string, unknown>,
  cdkNag: 'with-exceptions' | 'without-exceptions',
): readonly Finding[] {
  const folder = mkdtempSync(join(tmpdir(), 'nag-'))
  try {
    const context = { ...readUsualContext(), ...toContext(settings) }
    const { app } = createApp({ context, outdir: join(folder, 'out'), cdkNag }, () =>
      createAssets('none', join(folder, 'bundles')),
    )
    if (cdkNag === 'with-exceptions') app.synth()
    else expect(() => app.synth()).toThrow('AwsSolutions')
    const { pluginReports } = JSON.parse(
      readFileSync(join(folder, 'out', 'validation-report.json'), 'utf8'),
    ) as {
      pluginReports: {
        violations: { ruleName: string; violatingConstructs: { constructPath: string }[] }[]
      }[]
    }
    return pluginReports.flatMap(({ violations }) =>
      violations.flatMap(({ ruleName, violatingConstructs }) =>
        violatingConstructs.map(({ constructPath }) => ({ rule: ruleName, path: constructPath })),
      ),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function exceptionsOf(settings: Record<string, unknown>): readonly NagException[] {
  const read = readInstallationSettings(toContext(settings))
  if ('problems' in read) throw new Error(read.problems.join())
  return nagExceptionsOf({ partition: 'aws', account: '<AWS::AccountId>' }, read)
}

describe.each([
  ['the usual settings', { region: 'eu-central-1', installation: 'antichain' }],
  [
    'settings of another installation',
    { region: 'us-east-2', installation: 'other', deploymentRoles: 'arn:aws:iam::*:role/x-*' },
  ],
  [
    'a private network',
    {
      region: 'eu-central-1',
      installation: 'antichain',
      vpc: 'vpc-0123456789abcdef0',
      subnets: 'subnet-0123456789abcdef0',
      endpoints: 's3,sqs',
      routeTables: 'rtb-0123456789abcdef0',
    },
  ],
  [
    'groups of stacks',
    { region: 'eu-central-1', installation: 'antichain', groups: 'payments=pay-*;shop=shop' },
  ],
])('with %s', (_, settings) => {
  test('cdk-nag has no finding without an exception', () => {
    expect(listFindings(settings, 'with-exceptions')).toEqual([])
  })

  test('each exception matches a finding, and each finding has an exception', () => {
    const allFindings = listFindings(settings, 'without-exceptions')
    const stacks = { data: `${settings.installation}-data`, main: settings.installation }
    const matchFindings = ({ stack, path, rule }: NagException): readonly Finding[] =>
      allFindings.filter(
        finding => finding.rule === rule && finding.path.startsWith(`${stacks[stack]}/${path}/`),
      )
    const exceptions = exceptionsOf(settings)
    expect(exceptions.filter(exception => matchFindings(exception).length === 0)).toEqual([])
    expect(new Set(exceptions.flatMap(matchFindings))).toEqual(new Set(allFindings))
  })
})

test('each exception names a rule, and has a reason of more than 60 characters', () => {
  for (const { rule, reason } of exceptionsOf({ region: 'eu-central-1' })) {
    expect(rule).toMatch(/^AwsSolutions-[A-Z]+\d+/)
    expect(reason.length).toBeGreaterThan(60)
  }
})
