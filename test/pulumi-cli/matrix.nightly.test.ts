import { test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { cliVersions } from './build-cli.ts'
import { type MatrixCase, runMatrixCase } from './matrix.ts'

const managers = ['none', 'service', 'passphrase'] as const
const cases: readonly MatrixCase[] = cliVersions.flatMap(version =>
  managers.flatMap((secrets, index) => [
    // Each version and each manager has both ways of saving a state, and both sizes.
    {
      ...{ version, secrets, resourceCount: 1, valueChars: 10, hasAllOperations: true },
      sendsCheckpoints: index % 2 === 1,
    },
    {
      ...{ version, secrets, resourceCount: 100, valueChars: 16_000, hasAllOperations: true },
      sendsCheckpoints: index % 2 === 0,
    },
  ]),
)

describeWithCommands(
  "operations × secrets × sizes of Pulumi's command lines",
  [['go', 'version']],
  () => {
    test.each(cases)(
      '$version: $resourceCount resources of $valueChars characters are the same for both command lines, secrets: $secrets, checkpoints: $sendsCheckpoints',
      { timeout: 900_000 },
      runMatrixCase,
    )
  },
)
