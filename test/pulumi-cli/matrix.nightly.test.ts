import { test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { cliVersions } from './build-cli.ts'
import { type MatrixCase, runMatrixCase } from './matrix.ts'

const cases: readonly MatrixCase[] = cliVersions.flatMap(version =>
  [true, false].flatMap(hasSecrets => [
    { version, hasSecrets, resourceCount: 1, valueChars: 10, sendsCheckpoints: hasSecrets },
    { version, hasSecrets, resourceCount: 100, valueChars: 16_000, sendsCheckpoints: !hasSecrets },
  ]),
)

describeWithCommands(
  "operations × secrets × sizes of Pulumi's command lines",
  [['go', 'version']],
  () => {
    test.each(cases)(
      '$version: $resourceCount resources of $valueChars characters are the same for both command lines, secrets: $hasSecrets, checkpoints: $sendsCheckpoints',
      { timeout: 900_000 },
      runMatrixCase,
    )
  },
)
