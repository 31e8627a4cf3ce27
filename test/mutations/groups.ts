import { groupTestsOf, createMutation } from './create-mutation.ts'
import type { Mutation } from './mutation.ts'

const generator = 'shared/engine/generator'
const monitor = 'shared/engine/monitor'

/**
 * One decision for each group of the original's tests, from alias to pulumi: its folder in
 * test/lifecycle notices.
 */
export const groupMutations: readonly Mutation[] = [
  createMutation(
    {
      name: 'a child does not follow the old name of its parent',
      breaks: 'docs/spec/urns.md#alias-set: children inherit the aliases of their parents',
      file: 'shared/engine/generator/registration/aliases.ts',
    },
    ['    found.push(inheritedAliasOf(parentNow, parentThen, subject))\n', ''],
    groupTestsOf('alias/names', 'a chain of children'),
  ),
  createMutation(
    {
      name: 'a mandatory violation is told and passed over',
      breaks: 'docs/spec/monitor.md#analyzer-service: a mandatory violation ends an update',
      file: 'shared/engine/generator/checks/apply-policies.ts',
    },
    [
      '  if (!isMandatory) return remediated\n',
      '  if (remediated !== undefined) return remediated\n',
    ],
    groupTestsOf('analyzer/resource-policies', 'fails an update before the create'),
  ),
  createMutation(
    {
      name: 'a name without chance leaves the order of a replacement alone',
      breaks: 'docs/spec/step-generation.md#autonaming: a fixed name is deleted first',
      file: 'shared/engine/generator/registration/autonaming.ts',
    },
    ['  return { ...goal, deleteBeforeReplace: true }', '  return goal'],
    groupTestsOf('autonaming/autonaming', 'TestAutonaming'),
  ),
  createMutation(
    {
      name: 'a method is asked of the default provider',
      breaks:
        'docs/spec/monitor.md#resourcemonitor: a method is asked of the provider of its resource',
      file: 'shared/engine/generator/calls/call-method.ts',
    },
    ['  return goal.provider\n', "  return ''\n"],
    groupTestsOf('components/methods', 'TestCallSelfProvider'),
  ),
  createMutation(
    {
      name: 'what goes with a resource is not replaced with it',
      breaks:
        'docs/spec/step-generation.md#diff-decision: what is deleted with a resource is replaced with it',
      file: 'shared/engine/generator/changes/difference.ts',
    },
    [
      "  if (next.deletedWith !== '' && ctx.sets",
      '  if (next.deletedWith === next.urn && ctx.sets',
    ],
    groupTestsOf('deleted_with_replace/deleted-with-replace', 'OnCreateBeforeDelete'),
  ),
  createMutation(
    {
      name: 'the program has no say in what is deleted first',
      breaks:
        'docs/spec/step-generation.md#replacement: the option goes before what the provider wants',
      file: 'shared/engine/generator/changes/plan-replacement.ts',
    },
    ['goal.deleteBeforeReplace ?? verdict.deleteBeforeReplace', 'verdict.deleteBeforeReplace'],
    groupTestsOf('delete_before_replace/cascade', 'TestExplicitDeleteBeforeReplace'),
  ),
  createMutation(
    {
      name: 'a destroy makes what its program registers',
      breaks:
        'docs/spec/step-generation.md#after-the-refresh: a destroy that runs its program makes nothing',
      file: 'shared/engine/generator/deletion/destroy.ts',
    },
    [
      '  if (old === undefined) return skipCreate(ctx, next)\n',
      '  if (old === undefined) return undefined\n',
    ],
    groupTestsOf('destroy/run-program', 'TestDestroyWithProgram:'),
  ),
  createMutation(
    {
      name: 'any resource may map variables',
      breaks: 'docs/spec/monitor.md#resourcemonitor: variables are mapped for providers only',
      file: `${monitor}/read-registration.ts`,
    },
    ['request.envVarMappings.size > 0 && ', 'request.envVarMappings.size < 0 && '],
    groupTestsOf('env_var_mappings/env-var-mappings', 'OnNonProviderFails'),
  ),
  createMutation(
    {
      name: 'a failed call is made again when its hooks say no',
      breaks: 'docs/spec/step-execution.md#hooks: a call is made again when an error hook wants it',
      file: 'shared/engine/deployment/dispatch/run-hooked-call.ts',
    },
    ['  if (!retry) return undefined\n', '  if (retry) return undefined\n'],
    groupTestsOf('error_hooks/retry', 'RetryIfAnyHookReturnsTrue'),
  ),
  createMutation(
    {
      name: 'an extension is not recorded',
      breaks: 'I10: later lives and the fold find each extension',
      file: 'shared/engine/generator/steps/deployment-runner.ts',
    },
    ['      writer.defer(decision)\n', '      void decision\n'],
    groupTestsOf('extension/extension', 'the snapshot has them'),
  ),
  createMutation(
    {
      name: 'properties to be hidden are not kept',
      breaks: 'docs/spec/monitor.md#resourcemonitor: hideDiffs is kept in the state',
      file: 'shared/engine/generator/registration/claim-urn.ts',
    },
    ['    hideDiff: goal.hideDiff,\n', ''],
    groupTestsOf('hide_diffs/hide-diffs', 'TestHideDiffs_Plain'),
  ),
  createMutation(
    {
      name: 'the id of an import is compared with the provider’s own alone',
      breaks:
        'docs/spec/step-generation.md#after-the-refresh: an id that was imported under counts before the own one',
      file: 'shared/engine/generator/import/adopt-existing.ts',
    },
    ["(old.importID === '' ? old.id : old.importID)", 'old.id'],
    groupTestsOf('import/option', 'DifferingImportIdentifierFormat'),
  ),
  createMutation(
    {
      name: 'a function is asked while what it depends on is not there',
      breaks:
        'docs/spec/monitor.md#resourcemonitor: a function that depends on what is not known is not asked',
      file: `${generator}/generator.ts`,
    },
    [
      "  if (await deps.tree.isPending(request.dependsOn)) return 'unknown'\n",
      '  await deps.tree.isPending(request.dependsOn)\n',
    ],
    groupTestsOf('invoke/invoke', 'TestInvokeDependsOnPendingCustomResource'),
  ),
  createMutation(
    {
      name: 'all packages of a program are one',
      breaks:
        'docs/spec/monitor.md#resourcemonitor: equal packages get one reference, others their own',
      file: `${monitor}/packages.ts`,
    },
    [
      'extension?.ref ?? contentOf(packageRequest)',
      'extension?.ref ?? contentOf(packageRequest).slice(0, 1)',
    ],
    groupTestsOf('package_ref/package-ref', 'TestPackageRefSharedBase'),
  ),
  createMutation(
    {
      name: 'a plugin is not told what it is to become',
      breaks:
        'docs/spec/provider-protocol.md#value-encoding: a parameterized package is made before anything is asked',
      file: `${monitor}/packages.ts`,
    },
    ['{ parameters: { plugin: name, ...blobOf(parameterization) } }', '{}'],
    groupTestsOf('parameterized/parameterized', 'before any other request'),
  ),
  createMutation(
    {
      name: 'old copies are left behind',
      breaks:
        'docs/spec/step-generation.md#deletes-at-the-end-of-the-program: what is marked is deleted at the end',
      file: 'shared/engine/generator/deletion/condemned-steps.ts',
    },
    [
      'state.delete || sets.markedForDelete.has(index)\n' + '    if (superseded)',
      'sets.markedForDelete.has(index)\n' + '    if (superseded)',
    ],
    groupTestsOf('pending_delete/pending-delete', 'TestUpdateWithPendingDelete'),
  ),
  createMutation(
    {
      name: 'a replacement that was begun is dropped for an update',
      breaks: 'docs/spec/step-generation.md#diff-decision: a replacement begun earlier is finished',
      file: 'shared/engine/generator/changes/decide-change.ts',
    },
    [
      'isReplacement(judged) || options.triggered || old.pendingReplacement',
      'isReplacement(judged) || options.triggered',
    ],
    groupTestsOf('pending_replace/resume', 'WithUpdatedGoals'),
  ),
  createMutation(
    {
      name: 'what is protected is replaced',
      breaks: 'docs/spec/step-generation.md#replacement: what is protected is not replaced',
      file: 'shared/engine/generator/changes/plan-replacement.ts',
    },
    ['old.state.protect && !ctx.ignoreProtect', 'old.state.protect && ctx.ignoreProtect'],
    groupTestsOf('protect/ignored', 'TestIgnoreProtectReplace'),
  ),
  createMutation(
    {
      name: 'a resource moves to any provider without a question',
      breaks:
        'docs/spec/step-generation.md#provider-change: the new provider says whether its resources are replaced',
      file: 'shared/engine/generator/changes/difference.ts',
    },
    [
      "  return diff.changes !== 'none' && isReplacement(diff)\n",
      '  return isReplacement(diff) && false\n',
    ],
    groupTestsOf('provider/provider', 'TestExplicitProviderDiffReplacement'),
  ),
  createMutation(
    {
      name: 'a read may be of any type',
      breaks:
        'docs/spec/monitor.md#resourcemonitor: what a provider has is of a type of three parts',
      file: `${monitor}/read-registration.ts`,
    },
    ['  requireTypeToken(request.type)\n  if (request.provider', '  if (request.provider'],
    groupTestsOf('pulumi/programs', 'TestBadResourceType'),
  ),
]
