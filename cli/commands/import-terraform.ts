import { formatWithNoun } from '../display/format-with-noun.ts'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { createError } from '../../shared/errors/error.ts'
import { childUrnOf, stackType } from '../../shared/names/urn.ts'
import { findRequiredNodePackages } from '../../shared/programs/required-packages.ts'
import {
  adoptInstances,
  type AdoptingStack,
} from '../../shared/providers/terraform/adoption/adopt-instances.ts'
import { listSkippedParts } from '../../shared/providers/terraform/adoption/list-skipped-parts.ts'
import { nameInstances } from '../../shared/providers/terraform/adoption/name-instances.ts'
import {
  readTfstate,
  type TerraformState,
} from '../../shared/providers/terraform/adoption/read-tfstate.ts'
import { lockFileName, readLockFile } from '../../shared/providers/terraform/install/lock-file.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import { emptySnapshot, type Snapshot } from '../../shared/state/snapshot.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { parseJson } from '../../shared/values/parse-json.ts'
import type { Flags } from '../arguments/flags.ts'
import {
  type AdoptionReport,
  formatReportJson,
  formatReportLines,
} from '../adoption/adoption-report.ts'
import {
  choosePackage,
  parseProviderChoices,
  requireKnownChoices,
} from '../adoption/choose-package.ts'
import { findStateFile, readFileText, type StateFile } from '../adoption/find-state-file.ts'
import { addAdoptedResources, separateExistingObjects } from '../adoption/merge-adopted.ts'
import type { RunningProviders } from '../adoption/running-providers.ts'
import { withProviderProcesses } from '../adoption/provider-processes.ts'
import { saveAdoption } from '../adoption/save-adoption.ts'
import { buildRequest } from '../operations/operation-request.ts'
import { readConfirmationSteps } from '../operations/read-confirmation-steps.ts'
import type { CliSession } from '../session/session.ts'
import { parseForm } from '../../shared/values/parse-form.ts'

/** Options that only apply to imports by an id. */
const idImportOptions = ['file', 'parent', 'properties', 'out'] as const

/**
 * `import --from terraform <path>`: adopts the objects of a Terraform state into the stack, without
 * changing any object. Prints a report of all parts of the state. Throws FEATURE_MISSING for
 * another `--from`, CLI_USAGE, FILE_UNREADABLE, TERRAFORM_STATE_*, STACK_NOT_EMPTY,
 * CONFIRMATION_DECLINED, the errors of an edit, and TERRAFORM_ADOPTION_PARTIAL if some objects
 * could not be adopted.
 */
export async function importTerraformState(
  session: CliSession,
  flags: Flags,
  [path = '.', ...moreOperands]: readonly string[],
): Promise<number> {
  checkOptions(flags, moreOperands)
  const isPreview = flags.isSet('previewOnly')
  const mustConfirm = isPreview ? false : readConfirmationSteps(session, flags).mustConfirm
  const stateFile = findStateFile(resolve(session.cwd, path))
  const state = readTfstate(readFileText(stateFile.file), stateFile.file)
  const request = await buildRequest(session, flags, 'import')
  const before = await readStackState(session, request)
  const adoption = await adoptState(session, flags, { stateFile, state, request, before })
  const { report } = adoption
  if (flags.isSet('json')) session.print(formatReportJson(report))
  else for (const line of formatReportLines(report)) session.print(line)
  if (!isPreview && report.adopted.length > 0) {
    await saveAdoption(session, { request, before, ...adoption, mustConfirm })
    session.printToStderr(`Adopted ${formatWithNoun(report.adopted.length, 'object')}.`)
  }
  return checkReport(report)
}

function checkOptions(flags: Flags, moreOperands: readonly string[]): void {
  const converter = flags.text('from')
  if (converter !== 'terraform')
    throw createError('FEATURE_MISSING', `importing from '${converter}' is not supported yet`, {
      hint: 'Use `--from terraform` for a state of Terraform or OpenTofu.',
    })
  if (moreOperands.length > 0)
    throw createError('CLI_USAGE', '--from terraform takes the path of one Terraform state')
  for (const name of idImportOptions)
    if (flags.text(name) !== undefined || flags.list(name).length > 0)
      throw createError('CLI_USAGE', `--${name} cannot be used together with --from terraform`)
}

/** The state of a stack in two forms: as it is stored, and decrypted. */
export interface StackState {
  readonly stored: StoredDeployment
  readonly snapshot: Snapshot
}

async function readStackState(
  session: CliSession,
  { stack, secrets }: DeployInput,
): Promise<StackState> {
  const { decodeSnapshot, encodeSnapshot } = await session.tools.loadState()
  const stored = await (await session.openEngine()).exportState(stack)
  return stored === undefined
    ? { stored: await encodeSnapshot(emptySnapshot, secrets, 'sealed'), snapshot: emptySnapshot }
    : { stored, snapshot: await decodeSnapshot(stored, secrets) }
}

/** The inputs of an adoption. */
interface AdoptionInput {
  readonly stateFile: StateFile
  readonly state: TerraformState
  readonly request: DeployInput
  /** The state of the stack before the adoption. */
  readonly before: StackState
}

/**
 * Creates the states and the report of an adoption. The processes of the providers end before it
 * returns.
 */
async function adoptState(
  session: CliSession,
  flags: Flags,
  { stateFile: { file, folder }, state, request, before }: AdoptionInput,
): Promise<{ readonly report: AdoptionReport; readonly resources: Snapshot['resources'] }> {
  const { resources } = before.snapshot
  const names = nameInstances(state.instances, readNames(session, flags))
  const stack = createAdoptingStack(request)
  const choices = parseProviderChoices(flags.list('provider'))
  const managedInstances = state.instances.filter(({ mode }) => mode === 'managed')
  requireKnownChoices(choices, new Set(managedInstances.map(({ provider }) => provider.source)))
  const locks = readLockFile(join(folder, lockFileName))
  const requiredPackages = findRequiredNodePackages(request.source.programFolder)
  const adopt = async (providers: RunningProviders) => {
    const { adopted: instances, skipped } = await adoptInstances(managedInstances, {
      names,
      stack,
      providers,
    })
    const { adopted, existing } = separateExistingObjects(instances, resources)
    return {
      report: {
        stack: stack.stack,
        file,
        adopted,
        existing,
        skipped: [...skipped, ...listSkippedParts(state)],
      },
      resources: addAdoptedResources(resources, {
        stack,
        providers: providers.listStates(),
        adopted,
      }),
    }
  }
  return withProviderProcesses(session, {
    stack,
    adopt,
    existingStates: resources,
    config: request.config,
    programFolder: request.source.programFolder,
    choose: source =>
      choosePackage(source, {
        choices,
        requiredPackages,
        lockedVersion: locks?.get(source)?.version,
      }),
  })
}

function createAdoptingStack({ stack: id }: DeployInput): AdoptingStack {
  const names = stackPartsOf(id)
  const rootName = `${names.project}-${names.stack}`
  return { ...names, root: childUrnOf(names, undefined, { type: stackType, name: rootName }) }
}

const namesForm = z.record(z.string(), z.string().min(1))

/** Reads the file of --names, a JSON object: address → name. */
function readNames(session: CliSession, flags: Flags): ReadonlyMap<string, string> {
  const path = flags.text('names')
  if (path === undefined) return new Map()
  const file = resolve(session.cwd, path)
  const parsed = parseForm(namesForm, parseJson(readFileText(file)))
  if (parsed.success) return new Map(Object.entries(parsed.data))
  throw createError('CLI_USAGE', `--names: ${file} must be a JSON object of names by address`)
}

/**
 * Returns the exit code 0. Throws TERRAFORM_ADOPTION_PARTIAL if objects could not be adopted, and
 * STACK_NOT_EMPTY if the stack already has all objects.
 */
function checkReport({ adopted, existing, skipped }: AdoptionReport): number {
  const failedParts = skipped.filter(({ kind }) => kind === 'resource')
  const [firstFailed] = failedParts
  const count = adopted.length + existing.length + failedParts.length
  if (firstFailed !== undefined)
    throw createError(
      'TERRAFORM_ADOPTION_PARTIAL',
      `${failedParts.length} of ${formatWithNoun(count, 'object')} cannot be adopted: ${firstFailed.address}: ${firstFailed.reason}`,
    )
  if (adopted.length === 0 && existing.length > 0)
    throw createError(
      'STACK_NOT_EMPTY',
      `the stack has all ${formatWithNoun(count, 'object')} of the state already`,
      {
        hint: 'Nothing is left to adopt. Preview the program with `antichain preview`.',
      },
    )
  return 0
}
