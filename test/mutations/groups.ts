import { lifecycleTestsOf, createMutation } from './create-mutation.ts'
import type { Mutation } from './mutation.ts'

const monitor = 'shared/engine/monitor'

/**
 * One mutation for each group of Pulumi's tests, from alias to pulumi. The tests in the group's
 * folder below test/lifecycle detect the mutation.
 */
export const groupMutations: readonly Mutation[] = [
  createMutation(
    {
      name: 'a child does not follow the old name of its parent',
      breaks: 'docs/spec/urns.md#alias-set: children inherit the aliases of their parents',
      file: 'shared/engine/generator/registration/list-alias-urns.ts',
    },
    ['    aliasUrns.push(inheritedAliasOf(parentUrn, formerParentUrn, resource))\n', ''],
    lifecycleTestsOf('alias/names', 'a chain of children'),
  ),
  createMutation(
    {
      name: 'a mandatory violation is reported and ignored',
      breaks: 'docs/spec/monitor.md#analyzer-service: a mandatory violation ends an update',
      file: 'shared/engine/generator/policies/apply-policies.ts',
    },
    [
      '  if (!hasMandatoryViolation) return remediationResult\n',
      '  if (remediationResult !== undefined) return remediationResult\n',
    ],
    lifecycleTestsOf('analyzer/resource-policies', 'fails a deployment before the create'),
  ),
  createMutation(
    {
      name: 'a fixed name does not change the order of a replacement',
      breaks: 'docs/spec/step-generation.md#autonaming: a fixed name is deleted first',
      file: 'shared/engine/generator/registration/apply-autonaming.ts',
    },
    ['  return { ...goal, deleteBeforeReplace: true }', '  return goal'],
    lifecycleTestsOf('autonaming/autonaming', 'TestAutonaming'),
  ),
  createMutation(
    {
      name: 'a method is called on the default provider',
      breaks: 'docs/spec/monitor.md#call: a method is called on the provider of its resource',
      file: 'shared/engine/generator/calls/call-method.ts',
    },
    ['  return goal.provider\n', "  return ''\n"],
    lifecycleTestsOf('components/methods', 'TestCallSelfProvider'),
  ),
  createMutation(
    {
      name: 'a resource that is deleted with another is not replaced with it',
      breaks:
        'docs/spec/step-generation.md#diff-decision: a resource that is deleted with another is replaced with it',
      file: 'shared/engine/generator/changes/difference.ts',
    },
    ["  if (next.deletedWith !== '' && sets", '  if (next.deletedWith === next.urn && sets'],
    lifecycleTestsOf('deleted_with_replace/deleted-with-replace', 'OnCreateBeforeDelete'),
  ),
  createMutation(
    {
      name: 'the program cannot override the order of a replacement',
      breaks:
        'docs/spec/step-generation.md#replacement: the option has priority over the request of the provider',
      file: 'shared/engine/generator/changes/plan-replacement.ts',
    },
    ['goal.deleteBeforeReplace ?? change.deleteBeforeReplace', 'change.deleteBeforeReplace'],
    lifecycleTestsOf('delete_before_replace/cascade', 'TestExplicitDeleteBeforeReplace'),
  ),
  createMutation(
    {
      name: 'a destroy creates the resources that its program registers',
      breaks:
        'docs/spec/step-generation.md#after-the-refresh: a destroy that runs its program creates nothing',
      file: 'shared/engine/generator/deletion/keep-until-destroyed.ts',
    },
    [
      '  if (old === undefined) return skipCreate(next)\n',
      '  if (old === undefined) return toDecided(undefined)\n',
    ],
    lifecycleTestsOf('destroy/run-program', 'TestDestroyWithProgram:'),
  ),
  createMutation(
    {
      name: 'any resource may map environment variables',
      breaks:
        'docs/spec/monitor.md#registerresource: environment variables are mapped for providers only',
      file: `${monitor}/decode-registration.ts`,
    },
    ['request.envVarMappings.size > 0 && ', 'request.envVarMappings.size < 0 && '],
    lifecycleTestsOf('env_var_mappings/env-var-mappings', 'OnNonProviderFails'),
  ),
  createMutation(
    {
      name: 'a failed call is retried although its hooks refuse',
      breaks: 'docs/spec/step-execution.md#hooks: a call is retried when an error hook requests it',
      file: 'shared/engine/deployment/dispatch/call-with-error-hooks.ts',
    },
    ['  if (!mustRetry) return undefined\n', '  if (mustRetry) return undefined\n'],
    lifecycleTestsOf('error_hooks/retry', 'RetryIfAnyHookReturnsTrue'),
  ),
  createMutation(
    {
      name: 'an extension is not recorded',
      breaks: 'I10: later runs and the fold find each extension',
      file: 'shared/engine/generator/steps/deployment-runner.ts',
    },
    ['      writer.defer(decision)\n', '      void decision\n'],
    lifecycleTestsOf('extension/extension', 'the snapshot has all'),
  ),
  createMutation(
    {
      name: 'hidden properties are not stored',
      breaks: 'docs/spec/monitor.md#registerresource: hideDiffs is stored in the state',
      file: 'shared/engine/generator/registration/assign-urn.ts',
    },
    ['    hideDiff: goal.hideDiff,\n', ''],
    lifecycleTestsOf('hide_diffs/hide-diffs', 'TestHideDiffs_Plain'),
  ),
  createMutation(
    {
      name: 'an import id is compared only with the id that the provider returned',
      breaks:
        'docs/spec/step-generation.md#after-the-refresh: a recorded import id has priority over the id that the provider returned',
      file: 'shared/engine/generator/import/adopt-existing.ts',
    },
    ["(old.importID === '' ? old.id : old.importID)", 'old.id'],
    lifecycleTestsOf('import/option', 'DifferingImportIdentifierFormat'),
  ),
  createMutation(
    {
      name: 'a function is called while its dependencies are pending',
      breaks: 'docs/spec/monitor.md#invoke: a function with unknown dependencies is not called',
      file: 'shared/engine/generator/calls/invoke-function.ts',
    },
    [
      "  if (await deps.tree.isPending(request.dependsOn)) return toDecided('unknown')\n",
      '  await deps.tree.isPending(request.dependsOn)\n',
    ],
    lifecycleTestsOf('invoke/invoke', 'TestInvokeDependsOnPendingCustomResource'),
  ),
  createMutation(
    {
      name: 'all packages of a program are the same',
      breaks:
        'docs/spec/monitor.md#registerpackage: equal packages get one reference, others their own',
      file: `${monitor}/packages.ts`,
    },
    [
      'extension?.ref ?? contentKeyOf(packageRequest)',
      'extension?.ref ?? contentKeyOf(packageRequest).slice(0, 1)',
    ],
    lifecycleTestsOf('package_ref/package-ref', 'TestPackageRefSharedBase'),
  ),
  createMutation(
    {
      name: 'a plugin is not parameterized',
      breaks:
        'docs/spec/provider-protocol.md#parameterization: a package is parameterized before any other request',
      file: `${monitor}/packages.ts`,
    },
    ['{ parameters: { plugin: name, ...toBase64Parameters(parameterization) } }', '{}'],
    lifecycleTestsOf('parameterized/parameterized', 'before any other request'),
  ),
  createMutation(
    {
      name: 'old copies are left behind',
      breaks:
        'docs/spec/step-generation.md#deletes-at-the-end-of-the-program: marked resources are deleted at the end',
      file: 'shared/engine/generator/deletion/condemned-steps.ts',
    },
    [
      'state.delete || sets.markedForDeleteIndices.has(baseIndex)\n' + '    if (isOldCopy)',
      'sets.markedForDeleteIndices.has(baseIndex)\n' + '    if (isOldCopy)',
    ],
    lifecycleTestsOf('pending_delete/pending-delete', 'TestUpdateWithPendingDelete'),
  ),
  createMutation(
    {
      name: 'a replacement that was begun earlier becomes an update',
      breaks:
        'docs/spec/step-generation.md#diff-decision: a replacement that was begun earlier is completed',
      file: 'shared/engine/generator/changes/decide-change.ts',
    },
    [
      '(hasDiff && isReplacement(effectiveDiff)) || options.isTriggered || old.pendingReplacement',
      '(hasDiff && isReplacement(effectiveDiff)) || options.isTriggered',
    ],
    lifecycleTestsOf('pending_replace/resume', 'WithUpdatedGoals'),
  ),
  createMutation(
    {
      name: 'a protected resource is replaced',
      breaks: 'docs/spec/step-generation.md#replacement: protected resources are not replaced',
      file: 'shared/engine/generator/changes/plan-replacement.ts',
    },
    ['!old.protect || ignoreProtect)', '!old.protect || !ignoreProtect)'],
    lifecycleTestsOf('protect/ignored', 'TestIgnoreProtectReplace'),
  ),
  createMutation(
    {
      name: 'a resource moves to any provider without a replacement',
      breaks:
        'docs/spec/step-generation.md#provider-change: the new provider decides whether its resources are replaced',
      file: 'shared/engine/generator/changes/difference.ts',
    },
    [
      "  return toDecided(diff.changes !== 'none' && isReplacement(diff))\n",
      '  return toDecided(isReplacement(diff) && false)\n',
    ],
    lifecycleTestsOf('provider/provider', 'TestExplicitProviderDiffReplacement'),
  ),
  createMutation(
    {
      name: 'a read accepts any type',
      breaks:
        'docs/spec/monitor.md#readresource: a resource of a provider has a type of three parts',
      file: `${monitor}/decode-registration.ts`,
    },
    ['  requireTypeToken(request.type)\n  if (request.provider', '  if (request.provider'],
    lifecycleTestsOf('pulumi/programs', 'TestBadResourceType'),
  ),
]
