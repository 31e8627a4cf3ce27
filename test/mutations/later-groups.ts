import { lifecycleTestsOf, createMutation } from './create-mutation.ts'
import type { Mutation } from './mutation.ts'

const monitor = 'shared/engine/monitor'

/**
 * One mutation for each group of Pulumi's tests, from refresh to update_plan. The tests in the
 * group's folder below test/lifecycle detect the mutation.
 */
export const laterGroupMutations: readonly Mutation[] = [
  createMutation(
    {
      name: 'a refresh reads all resources except its targets',
      breaks: 'docs/spec/step-generation.md#targets: a refresh reads its targets',
      file: 'shared/engine/generator/refresh/plan-refresh.ts',
    },
    ['    if (isNamed(state.urn)) return true\n', '    if (!isNamed(state.urn)) return true\n'],
    lifecycleTestsOf('refresh/targets', 'TestRefreshBasics'),
  ),
  createMutation(
    {
      name: 'a resource that requests a read before updates is not read',
      breaks:
        'docs/spec/deployment.md#order-of-execution: a flagged resource is read before it is updated',
      file: 'shared/engine/generator/refresh/plan-refresh.ts',
    },
    ["(refreshSelection === 'all' || state.refreshBeforeUpdate)", "refreshSelection === 'all'"],
    lifecycleTestsOf('refresh_before_update/refresh-before-update', 'TestRefreshBeforeUpdate:'),
  ),
  createMutation(
    {
      name: 'a resource is not replaced with the one that it names',
      breaks:
        'docs/spec/step-generation.md#diff-decision: a resource is replaced with those that it names',
      file: 'shared/engine/generator/changes/difference.ts',
    },
    [
      'urn => sets.replacedUrns.has(urn))) return ',
      'urn => sets.replacedUrns.has(urn) && urn === next.urn)) return ',
    ],
    lifecycleTestsOf('replace_with/replace-with', 'TestReplaceWith:'),
  ),
  createMutation(
    {
      name: 'a trigger that is set for the first time replaces',
      breaks:
        'docs/spec/step-generation.md#diff-decision: adding or removing a trigger replaces nothing',
      file: 'shared/engine/generator/changes/difference.ts',
    },
    ['oldTrigger === null || newTrigger === null', 'oldTrigger === null && newTrigger === null'],
    lifecycleTestsOf('replacement_trigger/replacement-trigger', 'adding or removing the trigger'),
  ),
  createMutation(
    {
      name: 'a call is made although a hook before it failed',
      breaks: 'docs/spec/step-execution.md#hooks: a failed hook before a step fails the step',
      file: 'shared/engine/deployment/dispatch/run-hooks.ts',
    },
    [
      '  return error === undefined ? undefined : redact(error)\n',
      '  void redact\n  return undefined\n',
    ],
    lifecycleTestsOf('resource_hooks/hooks', 'TestResourceHookBeforeCreateError:'),
  ),
  createMutation(
    {
      name: 'only programs that do not support references receive them',
      breaks: 'docs/spec/monitor.md#supportsfeature: programs that support references receive them',
      file: `${monitor}/reply-options.ts`,
    },
    ['references: request.acceptResources', 'references: !request.acceptResources'],
    lifecycleTestsOf(
      'resource_reference/resource-reference',
      'TestResourceReferences_DownlevelSDK',
    ),
  ),
  createMutation(
    {
      name: 'a retained resource is deleted in the cloud',
      breaks: 'docs/spec/step-execution.md#step-kinds: a retained resource only leaves the state',
      file: 'shared/engine/generator/deletion/skips-delete-call.ts',
    },
    ['state.external || state.retainOnDelete || ', 'state.external || '],
    lifecycleTestsOf('retain_on_delete/retain-on-delete', 'TestRetainOnDelete'),
  ),
  createMutation(
    {
      name: 'a program that waits for the end gets its response immediately',
      breaks:
        'docs/spec/programs.md#signal-and-wait-for-shutdown: the response is sent after the deletes',
      file: 'shared/engine/monitor/monitor-handlers.ts',
    },
    ['    await signals.whenReleased\n', ''],
    lifecycleTestsOf('signal_and_wait_for_shutdown/signal', 'TestSignalAndWaitForShutdown:'),
  ),
  createMutation(
    {
      name: 'a default provider ignores the packages that the program reports',
      breaks:
        'docs/spec/providers.md#default-providers: a default provider has the version of the program’s package',
      file: 'shared/engine/generator/providers/default-packages.ts',
    },
    ['    reportedPackages.length > 0\n', '    reportedPackages.length < 0\n'],
    lifecycleTestsOf('skip_plugin_pre_install/skip', 'TestSkipPluginPreInstall'),
  ),
  createMutation(
    {
      name: 'a stash is replaced when its input changes',
      breaks:
        'docs/spec/providers.md#built-in-provider: the output of a stash keeps its first input',
      file: 'shared/providers/builtin/builtin-provider.ts',
    },
    ['isStash ? { changedKeys: [key] } : ', "isStash && key === '' ? { changedKeys: [key] } : "],
    lifecycleTestsOf('stash/stash', 'TestStash:'),
  ),
  createMutation(
    {
      name: 'a read with another id keeps the managed resource',
      breaks:
        'docs/spec/step-generation.md#reads: the read replaces the managed resource, which is deleted',
      file: 'shared/engine/generator/calls/read-resource.ts',
    },
    ['old.state.external || old.state.id === id)', 'old.state.external || old.state.id !== id)'],
    lifecycleTestsOf('step_generator/steps', 'TestReadReplaceStep'),
  ),
  createMutation(
    {
      name: 'a taint is ignored',
      breaks: 'docs/spec/step-generation.md#diff-decision: a tainted resource is replaced',
      file: 'shared/engine/generator/targets/scope.ts',
    },
    [' || old?.taint === true\n', '\n'],
    lifecycleTestsOf('taint/taint', 'TestTaintReplacement'),
  ),
  createMutation(
    {
      name: 'a destroy deletes the dependents of its targets',
      breaks:
        'docs/spec/step-generation.md#deletes-at-the-end-of-the-program: dependents of targets are deleted on request only',
      file: 'shared/engine/generator/deletion/delete-scope.ts',
    },
    [
      '  if (targetDependents) return true\n',
      '  if (targetDependents || targets.isConstrained) return true\n',
    ],
    lifecycleTestsOf('target/destroy', 'TestTargetDestroyDependencyErrors'),
  ),
  createMutation(
    {
      name: 'the transforms of the stack run first',
      breaks:
        'docs/spec/monitor.md#registerresource: own transforms, then those of the parents, then those of the stack',
      file: `${monitor}/transforms.ts`,
    },
    [
      '[...ownTransforms, ...listInherited(request.parent), ...stackTransforms]',
      '[...stackTransforms, ...ownTransforms, ...listInherited(request.parent)]',
    ],
    lifecycleTestsOf('transformation/transforms', 'TestRemoteTransforms:'),
  ),
  createMutation(
    {
      name: 'old copies outside of the targets are deleted with a warning',
      breaks:
        'docs/spec/step-generation.md#deletes-at-the-end-of-the-program: only targets are deleted',
      file: 'shared/engine/generator/deletion/delete-scope.ts',
    },
    ['  return untargetedSteps.length === 0\n', '  return untargetedSteps.length >= 0\n'],
    lifecycleTestsOf('update/targets', 'TestUpdateWithTargetedParentChildMarkedAsDelete'),
  ),
  createMutation(
    {
      name: 'an update plan does not constrain the options of a resource',
      breaks:
        'docs/spec/step-generation.md#update-plans: the options of a resource must be as planned',
      file: 'shared/engine/update-plan/goal-violations.ts',
    },
    ["  addUnlessEqual('protect', plannedGoal.protect, proposedGoal.protect)\n", ''],
    lifecycleTestsOf('update_plan/goals', 'options that differ'),
  ),
]
