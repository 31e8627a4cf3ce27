/** What can be wrong with programs, plugins, packages, plans and policy packs. */
export const programCodes = {
  POLICY_PACK_FAILED: {
    exit: 1,
    hint: 'Correct the policy pack as the sentence says; run `npm install` in its folder when a module is missing.',
  },
  PLAN_INVALID: {
    exit: 2,
    hint: 'Save the plan again with `antichain preview --save-plan <file>`, for this stack.',
  },
  PROGRAM_SDK_MISSING: { exit: 1, hint: 'Run `npm install` in the program folder.' },
  PROGRAM_LANGUAGE_MISSING: {
    exit: 1,
    hint: "Install the program's language, and its packages where the project says.",
  },
  PROGRAM_LANGUAGE_FAILED: {
    exit: 1,
    hint: 'Read what the language host printed; it may be of another version.',
  },
  PROGRAM_BUILD_FAILED: { exit: 1, hint: 'Correct what the compiler names.' },
  PROGRAM_TYPESCRIPT_MIX: {
    exit: 1,
    hint: 'Run `npm install --save-dev typescript@5` in the program folder.',
  },
  PROGRAM_FAILED: { exit: 1, hint: 'Correct the program; its own message stands above.' },
  PROGRAM_NODE_MISSING: {
    exit: 1,
    hint: 'Install Node 22 or later, or run `npm install` in the antichain folder.',
  },
  PACKAGE_INVALID: {
    exit: 1,
    hint: 'Give the package a name and a version such as 1.2.3, and register it before it is used.',
  },
  PLUGIN_MISSING: {
    exit: 1,
    hint: 'Put the plugin on PATH, or install it with `antichain plugin install`.',
  },
  PLUGIN_ADDRESS: {
    exit: 1,
    hint: 'Correct the address of the plugin: https://, github://, gitlab:// or git://.',
  },
  PLUGIN_TOO_LARGE: { exit: 1, hint: 'Look at what the address of the plugin serves.' },
  PLUGIN_DOWNLOAD: {
    exit: 1,
    hint: 'Look at the address and the network, or install the plugin from a file with `--file`.',
  },
  PLUGIN_AMBIGUOUS: {
    exit: 1,
    hint: 'Remove one of the packages, or give each resource its `provider`.',
  },
  PLUGIN_CHECKSUM: {
    exit: 1,
    hint: 'Put the archive of the plugin where it is fetched from again; what is there was not used.',
  },
  PLUGIN_FAILED: { exit: 1, hint: 'The plugin process failed; its last lines stand above.' },
} as const
