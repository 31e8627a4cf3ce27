import * as z from 'zod'
import { createError } from '../errors/error.ts'
import type { DocumentKey, StoredDocument } from '../ports/documents.ts'
import type { StackId } from '../records/ids.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { parseDocumentValue } from '../triggers/parse-document-value.ts'
import { repositoryForm } from '../triggers/webhooks/repository-event.ts'
import { parseInput, stackOf } from '../api/define-route.ts'
import { refuseUnsupported, withoutEmptyMembers } from './deployment-form.ts'
import { deploymentsPath } from './deployments-path.ts'
import { type GitSource, gitSourceForm } from './git-source.ts'
import type { ServiceCall, ServicePorts, ServiceRoute } from './service-route.ts'

/** The repository of a deployment, in settings and in requests. */
export const sourceForm = z.strictObject({
  sourceContext: z.strictObject({ git: gitSourceForm }).optional(),
})

const settingsForm = sourceForm.extend({
  vcs: z.strictObject({ provider: z.literal('github'), repository: repositoryForm }).optional(),
})

/** The settings of a stack's deployments. They contain only members that have an effect. */
type DeploymentSettings = z.infer<typeof settingsForm>

/** The paths of the members of settings that have an effect, except for those of `vcs`. */
export const sourceMembers = ['repoUrl', 'branch', 'commit', 'repoDir'].map(
  name => `sourceContext.git.${name}`,
)
const settingMembers = [...sourceMembers, 'vcs.provider', 'vcs.repository']

const path = `${deploymentsPath}/settings`

/** Routes for the settings of a stack's deployments. */
export const deploymentSettingsRoutes: readonly ServiceRoute[] = [
  {
    method: 'GET',
    path,
    role: 'read',
    run: async (ports, { params }) => {
      const { id } = await requireStack(ports, stackOf(params))
      return parseDocumentValue(settingsForm, await requireSettings(ports, id))
    },
  },
  {
    method: 'POST',
    path,
    role: 'deploy',
    run: (ports, call) => putSettings(ports, call, stored => mergePatch(stored, call.body)),
  },
  {
    method: 'PUT',
    path,
    role: 'deploy',
    run: (ports, call) => putSettings(ports, call, () => call.body),
  },
  {
    method: 'DELETE',
    path,
    role: 'deploy',
    run: async (ports, { params }) => {
      const { id } = await requireStack(ports, stackOf(params))
      const { version } = await requireSettings(ports, id)
      if (!(await ports.documents.remove(keyOf(id), version))) throw createSettingsChangedError()
      return {}
    },
  },
]

function keyOf(stack: StackId): DocumentKey {
  return { kind: 'stack-settings', scope: stack, name: 'deployment-settings' }
}

async function requireSettings(
  { documents }: Pick<ServicePorts, 'documents'>,
  stack: StackId,
): Promise<StoredDocument> {
  const stored = await documents.get(keyOf(stack))
  if (stored !== undefined) return stored
  throw createError('DOCUMENT_UNKNOWN', 'the stack has no deployment settings', {
    hint: 'Create them with `pulumi deployment settings edit`.',
  })
}

function createSettingsChangedError(): Error {
  return createError('DOCUMENT_CHANGED', 'the deployment settings were changed concurrently')
}

/** Returns the git source in the settings of a stack. Undefined if there is none. */
export async function readSettingsSource(
  { documents }: Pick<ServicePorts, 'documents'>,
  stack: StackId,
): Promise<GitSource | undefined> {
  const stored = await documents.get(keyOf(stack))
  if (stored === undefined) return undefined
  const { sourceContext, vcs } = parseDocumentValue(settingsForm, stored)
  if (vcs === undefined) return sourceContext?.git
  return { repoUrl: `https://github.com/${vcs.repository}`, ...sourceContext?.git }
}

/** Stores changed settings. Throws API_INPUT_INVALID for a member without effect. */
async function putSettings(
  { documents, catalog }: ServicePorts,
  { params, body }: ServiceCall,
  change: (stored: unknown) => unknown,
): Promise<unknown> {
  const { id } = await requireStack({ catalog }, stackOf(params))
  if (!isObject(body)) throw createError('API_INPUT_INVALID', 'the body must be an object')
  const stored = await documents.get(keyOf(id))
  const settings = parseSettings(withoutEmptyMembers(change(stored?.value)))
  if (await documents.put(keyOf(id), settings, stored?.version ?? 0)) return {}
  throw createSettingsChangedError()
}

function parseSettings(settings: unknown = {}): DeploymentSettings {
  refuseUnsupported(settings, settingMembers)
  return parseInput(settingsForm, settings, 'body')
}

type JsonMembers = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Applies a JSON Merge Patch (RFC 7396) to a value. A null removes a member, an object changes it,
 * and any other value replaces it.
 */
function mergePatch(stored: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const members = new Map(Object.entries(isObject(stored) ? stored : {}))
  for (const [name, value] of Object.entries(patch))
    if (value === null) members.delete(name)
    else members.set(name, mergePatch(members.get(name), value))
  return Object.fromEntries(members)
}
