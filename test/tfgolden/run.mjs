/**
 * Runs cases of Terraform providers. It compares the runs of an engine with the expectations, or
 * records these with OpenTofu. README.md describes the cases and the options.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readGolden, writeGolden } from './case-folder.mjs'
import { changeEachLeaf } from './change-expectations.mjs'
import { createCallComparison } from './compare-calls.mjs'
import { compareStep } from './compare-step.mjs'
import { formatCanonical, formatExpectation } from './lossless-values.mjs'
import { readResourceSchemas, recordSchemas } from './provider-schemas.mjs'
import { readOptions } from './read-options.mjs'
import { createEngineRun } from './run-engine.mjs'
import { createTofuRun } from './run-tofu.mjs'
import { toEngineRun } from './tofu-as-engine.mjs'

const problemsMax = 12
const settings = readSettings()
const unnoticed = new Map()
let changeCount = 0

if (settings.record) await recordSchemas(settings, settings.caseNames[0])
const schemaOf = readResourceSchemas()
const counts = { passed: 0, failed: 0, skipped: 0 }
const queue = [...settings.caseNames]
await Promise.all(Array.from({ length: settings.jobs }, runQueue))
if (settings.keep) console.log(`kept ${settings.tempFolder}`)
else rmSync(settings.tempFolder, { recursive: true, force: true })
if (settings.mutate) {
  const changesByPath = formatCanonical(Object.fromEntries(unnoticed))
  console.log(`${changeCount} changed expectations, without a difference by path: ${changesByPath}`)
}
const { passed, failed, skipped } = counts
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 ? 1 : 0

function readSettings() {
  try {
    return readOptions(process.argv.slice(2))
  } catch (thrown) {
    console.error(`error: ${thrown.message}`)
    process.exit(2)
  }
}

async function runQueue() {
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const startMs = Date.now()
    const { verdict, problems } = await runCase(name).catch(thrown => ({
      verdict: 'failed',
      problems: [thrown.stack],
    }))
    counts[verdict] += 1
    const seconds = ((Date.now() - startMs) / 1000).toFixed(1)
    if (verdict === 'skipped') console.log(`skipped ${name}: recorded for OpenTofu only`)
    else console.log(`${formatVerdict(verdict)} ${name} (${seconds}s)`)
    for (const problem of problems.slice(0, problemsMax)) console.log(`    ${problem}`)
    if (problems.length > problemsMax)
      console.log(`    … and ${problems.length - problemsMax} more`)
  }
}

function formatVerdict(verdict) {
  if (verdict === 'failed') return 'FAIL'
  return settings.record ? 'recorded' : 'pass'
}

async function runCase(name) {
  const usesTofu = settings.record || settings.self
  const run = usesTofu ? createTofuRun(settings, name) : createEngineRun(settings, name)
  const { spec, source } = run.folder
  if (!usesTofu && spec.tofuOnly) {
    run.folder.remove()
    return { verdict: 'skipped', problems: [] }
  }
  const expectedFolder = join(source, 'expected')
  if (settings.record) rmSync(expectedFolder, { recursive: true, force: true })
  const callComparison = createCallComparison(schemaOf)
  const problems = []
  for (const [index, step] of spec.steps.entries()) {
    const file = join(expectedFolder, `${String(index + 1).padStart(2, '0')}.json`)
    if (step.op === 'edit' && !usesTofu) {
      problems.push(...(await run.adoptStates(step, index + 1, readGolden(file).state)))
      continue
    }
    const result = await run.runStep(step, index + 1)
    const stepProblems = settings.record
      ? recordStep(file, step, result.expectation)
      : checkStep({ file, step, result, callComparison })
    problems.push(...stepProblems.map(problem => `step ${index + 1} ${step.op}: ${problem}`))
    if (result.isLate || result.expectation?.timeout) break
  }
  run.folder.remove()
  return { verdict: problems.length > 0 ? 'failed' : 'passed', problems }
}

function recordStep(file, step, expectation) {
  writeGolden(file, formatExpectation(expectation))
  const { exit, errors: [error] = [] } = expectation
  const specifiedExit = step.expectExit ?? 0
  if (exit === specifiedExit) return []
  const detail = error === undefined ? '' : ` (${JSON.stringify(error)})`
  return [`exit: the case requires ${specifiedExit}, got ${exit}${detail}`]
}

function checkStep({ file, step, result, callComparison }) {
  const expected = readGolden(file)
  const observed = settings.self ? toEngineRun(result, schemaOf) : result
  const subject = { step, observed, schemaOf, callComparison }
  const problems = compareStep({ ...subject, expected })
  if (settings.mutate && problems.length === 0)
    changeCount += changeEachLeaf(
      expected,
      changed => compareStep({ ...subject, expected: changed, isTrial: true }).length > 0,
      unnoticed,
    )
  return problems
}
