import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ContractInfo } from '../../shared/providers/check/contract.ts'
import { allContracts } from '../../shared/providers/check/contracts.ts'
import { projectFolder } from './sources.ts'

const file = join(projectFolder, 'docs', 'provider-check.md')

const head = `# Provider check

\`antichain provider check\` drives a provider of Pulumi or Terraform through the contracts of its protocol. It creates,
updates and deletes real objects. It deletes them at the end, also after a failure or Ctrl-C, and names those that are
left.

This page is generated from the contracts in \`shared/providers/check\`. A test fails when the two differ. Regenerate it
after a change with \`npm test -- test/house/provider-check-doc.test.ts -u\`.

## Run it

\`\`\`sh
antichain provider check ./pulumi-resource-shop --yes
antichain provider check random@4.16.3 --type random:index/randomPet:RandomPet --yes
antichain provider check ./terraform-provider-shop --config inputs.json --junit report.xml --yes
antichain provider check hashicorp/time 0.14.2 --yes
\`\`\`

- The provider is a file, a folder with a plugin's source code, the name of a plugin, or the address of a Terraform
  provider. A missing provider is installed, as for a deployment.
- The name decides the protocol: files \`terraform-provider-NAME\` and addresses with a namespace are Terraform providers.
  \`--protocol\` overrides it.
- \`--env NAME=VALUE\` sets a variable of the provider. The provider also inherits the variables of the command.
- \`--timeout\` is the time that the provider gets for each call. The check replaces the process after a late call.
- \`--json\` prints the report as JSON. \`--junit FILE\` also writes it as JUnit XML: one suite for each type.
- The exit code is 1 if the provider violates a contract whose severity is \`error\`, and 0 otherwise.

## Configurations

Without a file, the check generates inputs for each type: a sample of each required property, by its type. A provider
may refuse a sample in Check or Create, for example because a text has a wrong format. The contracts that need the object
are then skipped, and the report says so.

A file for \`--config\` has inputs by type, and those of the provider under \`provider\`:

\`\`\`json
{
  "provider": { "region": "eu-central-1" },
  "shop:index/order:Order": [
    { "name": "check", "size": 1 },
    { "size": 2, "note": "changed" }
  ]
}
\`\`\`

The first inputs of a type are created. Each property of the others is a change of its own, which the check sends to Diff.
The check applies the changes that need no replacement, one after the other. Only types of the file are checked, unless
\`--type\` names others. A secret has [the form of states](spec/property-values.md): \`{"4dabf18193072939515e22adb298388d":
"1b47061264138c4ac30d75fd1eb44270", "value": "…"}\`.

## Results

| Result | Meaning |
|---|---|
| \`ok\` | The provider keeps the contract. |
| \`FAILED\` | The provider violates the contract. The report has the reason and the next step. |
| \`WARNING\` | Hosts tolerate the behavior, or it is right for some types: objects of \`random\` exist in states only. |
| \`skipped\` | An earlier contract on which this one depends is violated, or no inputs are known. |
| \`-\` | The contract does not apply to this provider or configuration. |

A defect of a Terraform provider often has two entries. One is the step that failed, such as \`create\`. The other is
the rule of Terraform's core that the response violates, such as \`core-apply-consistent\`.

The check does not know the cloud of a provider. It finds the effect of a preview only if the preview returns an id. An
object whose creation had no response cannot be found, and the report says so.

## Contracts

Some violations of a contract with the severity \`error\` are only warnings. The requirement names them in parentheses.

| Contract | Protocols | Severity | Requirement | Next step | Source |
|---|---|---|---|---|---|
`

function formatRow(contract: ContractInfo): string {
  const { id, title, protocols, severity, remedy, source } = contract
  const protocolText = protocols.length > 1 ? 'both' : protocols.join()
  const cells = [`\`${id}\``, protocolText, severity, title, remedy, formatSource(source)]
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
}

function formatSource(source: string): string {
  const [, page, section] = /^docs\/(.+)#(.+)$/.exec(source) ?? []
  return page === undefined ? source : `[${section}](${page}#${section})`
}

test('docs/provider-check.md equals the list of contracts', async () => {
  await expect(head + allContracts.map(formatRow).join('')).toMatchFileSnapshot(file)
})

test('each contract has an id of its own, and a source that exists', () => {
  const ids = allContracts.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const pages = allContracts.flatMap(({ source }) => /^(docs\/.+)#/.exec(source)?.[1] ?? [])
  expect(pages.filter(page => !existsSync(join(projectFolder, page)))).toEqual([])
})
