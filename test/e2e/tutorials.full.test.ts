/** Runs the tutorials with the real command line, as their reader does. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createOutputPattern, parsePageSteps, runPageSteps } from './run-page.ts'
import { createSandbox, launcher, type Sandbox } from './sandbox.ts'

const tutorialsFolder = resolve(import.meta.dirname, '../../docs/tutorials')
const sdkModules = resolve(import.meta.dirname, '../fixtures/sdk/node_modules')

/** Links the packages of the SDK, and the SDKs that the project has generated. */
const npmScript = `#!/bin/sh
mkdir -p node_modules/@pulumi
ln -sfn '${sdkModules}'/* node_modules 2> /dev/null
ln -sfn '${sdkModules}'/@pulumi/* node_modules/@pulumi
for sdk in sdks/*; do
  if [ -d "$sdk" ]; then ln -sfn "$PWD/$sdk" "node_modules/@pulumi/\${sdk#sdks/}"; fi
done
`

let sandbox: Sandbox
let commandsFolder = ''
beforeEach(() => {
  sandbox = createSandbox(undefined, { sdk: false })
  commandsFolder = join(sandbox.cloud, '../commands')
  mkdirSync(commandsFolder)
  symlinkSync(launcher, join(commandsFolder, 'antichain'))
  // The packages of the SDK are installed once for all tests, because a test needs no network.
  writeFileSync(join(commandsFolder, 'npm'), npmScript)
  chmodSync(join(commandsFolder, 'npm'), 0o755)
})
afterEach(() => sandbox.remove())

/** Runs a page, and compares every shown output. */
async function expectTutorialToWork(name: string): Promise<void> {
  const steps = parsePageSteps(readFileSync(join(tutorialsFolder, name), 'utf8'))
  const path = sandbox.createEnvironment()['PATH'] ?? ''
  const variables = { PATH: `${commandsFolder}${delimiter}${path}`, HOME: sandbox.home }
  const outputs = await runPageSteps(sandbox, steps, variables)
  const commands = steps.filter(step => step.kind === 'command')
  expect(outputs).toHaveLength(commands.length)
  for (const [index, { command, output }] of commands.entries())
    if (output.trim() !== '') expect(outputs[index], command).toMatch(createOutputPattern(output))
}

test('the tutorial of the first stack works as it is written', async () => {
  await expectTutorialToWork('first-stack.md')
})

test('the tutorial of the first provider works as it is written', async () => {
  await expectTutorialToWork('provider.md')
})
