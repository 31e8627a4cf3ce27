import { test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { cliVersions } from './build-cli.ts'
import { runMatrixCase } from './matrix.ts'

const [version] = cliVersions

describeWithCommands(
  "operations × secrets × sizes of Pulumi's command line",
  [['go', 'version']],
  () => {
    test.each([
      { version, hasSecrets: true, resourceCount: 1, valueChars: 16_000 },
      { version, hasSecrets: true, resourceCount: 30, valueChars: 16_000, sendsCheckpoints: true },
    ])(
      '$resourceCount resources of $valueChars characters are the same for both command lines, secrets: $hasSecrets, checkpoints: $sendsCheckpoints',
      {
        timeout: 900_000,
      },
      runMatrixCase,
    )
  },
)
