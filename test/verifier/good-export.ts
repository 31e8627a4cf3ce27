/** A valid export, written by hand. Each test breaks it at one point. */
export const goodExport = `{
    "version": 4,
    "features": [
        "refreshBeforeUpdate",
        "taint"
    ],
    "deployment": {
        "manifest": {
            "time": "2026-08-01T10:00:00.64+02:00",
            "magic": "7dff0d166258e7f1d265e8e044021ea087795d58a0c6415ab6fe8b7c790e447f",
            "version": "v3.260.0"
        },
        "secrets_providers": {
            "type": "passphrase",
            "state": {
                "salt": "v1:fozI5u6B030=:v1:F+6ZduKKd8G0/V7L:PGMFeIzwobWRKmEAzUdaQHqC5mMRIQ=="
            }
        },
        "resources": [
            {
                "urn": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev",
                "custom": false,
                "type": "pulumi:pulumi:Stack",
                "outputs": {
                    "10": 1e+21,
                    "9": -0,
                    "\uff5e": "<&> \\u2028",
                    "\u{1f600}": null
                }
            },
            {
                "urn": "urn:pulumi:dev::shop::pulumi:providers:gold::default",
                "custom": true,
                "id": "one",
                "type": "pulumi:providers:gold"
            },
            {
                "urn": "urn:pulumi:dev::shop::gold:index:Thing::a",
                "custom": true,
                "delete": true,
                "id": "a-1",
                "type": "gold:index:Thing",
                "parent": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev",
                "taint": true,
                "provider": "urn:pulumi:dev::shop::pulumi:providers:gold::default::one"
            },
            {
                "urn": "urn:pulumi:dev::shop::gold:index:Thing::a",
                "custom": true,
                "id": "a-2",
                "type": "gold:index:Thing",
                "inputs": {
                    "file": {
                        "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17",
                        "hash": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
                        "text": "hello"
                    },
                    "key": {
                        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
                        "ciphertext": "v1:1X96REK2vTN63JLE:AnXt6msrvE+E1COyuqodF/G34JYnyhbZcD9rs97QpLAg"
                    },
                    "open": {
                        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
                        "plaintext": "{\\"a\\":\\"\\\\u003c\\",\\"b\\":[1,null]}"
                    }
                },
                "parent": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev",
                "dependencies": [
                    "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"
                ],
                "provider": "urn:pulumi:dev::shop::pulumi:providers:gold::default::one",
                "propertyDependencies": {
                    "file": null,
                    "key": []
                },
                "customTimeouts": {
                    "create": 1.5
                },
                "created": "2026-08-01T08:00:00Z",
                "modified": "2026-08-01T08:00:00.123456789Z",
                "sourcePosition": "project:///index.js#1,2",
                "stackTrace": [
                    {},
                    {
                        "sourcePosition": "project:///index.js#1,2"
                    }
                ],
                "replacementTrigger": false,
                "refreshBeforeUpdate": true
            }
        ],
        "pending_operations": [
            {
                "resource": {
                    "urn": "urn:pulumi:dev::shop::gold:index:Thing::b",
                    "custom": true,
                    "type": "gold:index:Thing"
                },
                "type": "creating"
            }
        ],
        "metadata": {}
    }
}
`
