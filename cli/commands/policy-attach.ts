import { resolve } from 'node:path'
import * as z from 'zod'
import { DeployError, createError } from '../../shared/errors/error.ts'
import { packProgram } from '../../shared/programs/archive/program-archive.ts'
import { readPolicyProject } from '../../shared/programs/project/policy-project.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { readStackFilters } from '../arguments/stack-filters.ts'
import { formatTable } from '../display/table.ts'
import { listAllItems } from '../remote/api-pages.ts'
import type { CliSession } from '../session/session.ts'
import { requireApi } from '../remote/require-api.ts'

const attachedPolicyForm = z.object({
  name: z.string(),
  value: z.object({
    archive: z.string(),
    stacks: z.object({
      projects: z.array(z.string()),
      tags: z.record(z.string(), z.string()),
      stacks: z.array(z.string()),
    }),
  }),
})
type StackSelection = z.infer<typeof attachedPolicyForm>['value']['stacks']

/**
 * `policy attach`: uploads a policy pack, which then checks every deployment of the named stacks.
 * The stacks replace those of an earlier attachment. Throws CLI_USAGE, STACK_NOT_FOUND and the
 * errors of the API, all before any stack has the pack.
 */
export const attachPolicy: Handler = async (session, flags, [folder = '']) => {
  const { remote, callApi } = await requireApi(
    session,
    'attaching a policy pack requires',
    'Run `antichain login <address>`. Without an API, run `antichain up --policy-pack <folder>`.',
  )
  const stacks = await readSelection(session, flags)
  const packFolder = resolve(session.cwd, folder)
  readPolicyProject(packFolder)
  const name = flags.text('name') ?? packFolder.split('/').at(-1) ?? ''
  if (!/^[\w.-]{1,100}$/.test(name))
    throw createError('CLI_USAGE', `'${name}' is not a valid name of a policy pack`, {
      hint: 'Use 1 to 100 letters, digits, _, . and -, with --name.',
    })
  const { bytes, hash: archive } = await packProgram(packFolder)
  const path = `/v1/policies/${encodeURIComponent(name)}`
  await remote.uploadArchive(`${path}/archives`, { archive, bytes })
  // One document names all stacks, so either all of them get the pack, or none.
  await callApi({ method: 'PUT', path, body: { archive, stacks } }).catch((thrown: unknown) => {
    if (!(thrown instanceof DeployError)) throw thrown
    const { code, message, hint } = thrown
    const text = `the policy pack '${name}' was uploaded, but the request to attach it failed: ${message}`
    const groupHint =
      'Attach the pack to the stacks of one group at a time, with ANTICHAIN_GROUP=<group>.'
    throw createError(code, text, {
      hint: code === 'STACK_GROUP_DIFFERENT' ? groupHint : hint,
      cause: thrown,
    })
  })
  for (const description of describeSelection(stacks))
    session.printToStderr(`Attached policy pack '${name}' to ${description}.`)
  if (flags.isSet('json')) session.print(JSON.stringify({ name, archive, stacks }, null, 2))
  return 0
}

/** `policy detach`: removes an attached policy pack. */
export const detachPolicy: Handler = async (session, _flags, [name = '']) => {
  const { callApi } = await session.openEngine()
  await callApi({ method: 'DELETE', path: `/v1/policies/${encodeURIComponent(name)}` })
  session.printToStderr(`Detached policy pack '${name}'.`)
  return 0
}

/** `policy ls --attached`: lists the attached policy packs. */
export const listAttachedPolicies: Handler = async (session, flags) => {
  const policies = await listAllItems(
    await session.openEngine(),
    '/v1/policies',
    attachedPolicyForm,
  )
  if (flags.isSet('json')) {
    session.print(JSON.stringify(policies, null, 2))
    return 0
  }
  const rows = policies.map(({ name, value }) => [
    name,
    value.archive.slice(0, 12),
    describeSelection(value.stacks).join(', '),
  ])
  for (const line of formatTable(['NAME', 'ARCHIVE', 'STACKS'], rows)) session.print(line)
  return 0
}

/**
 * Returns the stacks that the options name, or the selected stack without such an option. Throws
 * CLI_USAGE, and the errors of `requireStack` for any of the stacks.
 */
async function readSelection(session: CliSession, flags: Flags): Promise<StackSelection> {
  const names = flags.list('stack')
  const { projects, tags } = readStackFilters(flags)
  if (flags.isSet('all') && names.length > 0)
    throw createError('CLI_USAGE', '--all selects every stack, so it cannot be used with --stack')
  const selectsByFilter = flags.isSet('all') || projects.length > 0 || Object.keys(tags).length > 0
  const stacks = new Set<string>()
  for (const name of names.length > 0 || selectsByFilter ? names : [undefined]) {
    const { project, stack } = stackPartsOf(await session.requireStack(name))
    stacks.add(`${project}/${stack}`)
  }
  return { projects: [...projects], tags: { ...tags }, stacks: [...stacks] }
}

/**
 * Describes a selection: each named stack, and the stacks that match all filters. Without a stack
 * and a filter, the selection is all stacks.
 */
function describeSelection({ projects, tags, stacks }: StackSelection): readonly string[] {
  const filters = [
    ...(projects.length === 0 ? [] : [`the project ${projects.join(' or ')}`]),
    ...Object.entries(tags).map(([name, value]) => `the tag ${name}=${value}`),
  ]
  const filteredStacks =
    filters.length === 0 ? 'all stacks' : `the stacks of ${filters.join(' and ')}`
  const selectsByFilter = filters.length > 0 || stacks.length === 0
  return [...stacks, ...(selectsByFilter ? [filteredStacks] : [])]
}
