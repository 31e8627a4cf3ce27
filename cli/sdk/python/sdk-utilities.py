"""Reads the arguments of the classes and functions of a package, and registers its types."""
from __future__ import annotations

import importlib
import json
import os
import pkgutil
import warnings
from typing import Any, Callable, Mapping, Optional, Sequence

import pulumi
import pulumi.runtime
from semver import VersionInfo

_manifest = json.loads(pkgutil.get_data(__package__, "pulumi-plugin.json") or b"{}")
_parameters = _manifest.get("parameterization") or _manifest.get("extensionParameterization")
_version = (_parameters or _manifest)["version"]
_server = _manifest.get("server")


async def _register_package() -> str:
    extension = {} if "parameterization" in _manifest else {"extension": True}
    return await pulumi.runtime.register_package(
        base_provider_name=_manifest["name"],
        base_provider_version=_manifest["version"],
        base_provider_download_url=_server or "",
        package_name=_parameters["name"],
        package_version=_parameters["version"],
        base64_parameter=_parameters["value"],
        **extension,
    )


def get_package() -> Any:
    """Returns the reference of the package, or None for a package without parameters."""
    return None if _parameters is None else _register_package()


# With parameters there are no default options, because the reference of the package contains its
# version and its address.
_defaults = {} if _parameters else {"version": _version, "plugin_download_url": _server}


def _merge_resource_options(opts: Any, is_custom: bool) -> pulumi.ResourceOptions:
    if opts is not None and not isinstance(opts, pulumi.ResourceOptions):
        raise TypeError("Expected resource options to be a ResourceOptions instance")
    defaults = pulumi.ResourceOptions(**_defaults)
    # Resources of Terraform are deleted before they are replaced.
    if is_custom and _manifest["name"] == "terraform-provider":
        defaults.delete_before_replace = True
    return pulumi.ResourceOptions.merge(defaults, opts)


def _parse_bool(text: str) -> Optional[bool]:
    if text.lower() in ("1", "t", "true"):
        return True
    return False if text.lower() in ("0", "f", "false") else None


def _read_variable(names: Sequence[str], kind: type) -> Any:
    """Returns the first environment variable that is set, or None if it is not of the kind."""
    text = next((os.environ[name] for name in names if os.environ.get(name)), None)
    if text is None or kind is str:
        return text
    try:
        return _parse_bool(text) if kind is bool else kind(text)
    except ValueError:
        return None


def read_default(value: Any, default: Any, env: Sequence[str] = (), kind: type = str) -> Any:
    """Replaces a missing value by an environment variable, or else by the default."""
    if value is not None:
        return value
    variable = _read_variable(env, kind)
    return default if variable is None else variable


def set_properties(
    target: Any, values: Mapping[str, Any], deprecated: Mapping[str, str] = {}
) -> None:
    """Sets the properties of an input or output type, except for missing ones."""
    for name, value in values.items():
        if value is None:
            continue
        if name in deprecated:
            warnings.warn(deprecated[name], DeprecationWarning, stacklevel=3)
            pulumi.log.warn(f"{name} is deprecated: {deprecated[name]}")
        pulumi.set(target, name, value)


class Input:
    """An input of a resource. `property`: its name, if the parameter has another one."""

    def __init__(
        self,
        property: str = "",
        const: Any = None,
        default: Any = None,
        env: Sequence[str] = (),
        kind: type = str,
        is_required: bool = False,
        is_secret: bool = False,
        is_json: bool = False,
    ) -> None:
        self.property = property
        self.const = const
        self.default = default
        self.env = env
        self.kind = kind
        self.is_required = is_required
        self.is_secret = is_secret
        self.is_json = is_json

    def read(self, value: Any) -> Any:
        """Returns the value that is registered. Plugins receive inputs of providers as JSON."""
        if self.const is not None:
            return self.const
        value = read_default(value, self.default, self.env, self.kind)
        if value is None:
            return None
        if self.is_secret:
            value = pulumi.Output.secret(value)
        if self.is_json:
            value = pulumi.Output.from_input(value).apply(pulumi.runtime.to_json)
        return value


class ResourceDefinition:
    """A resource type: its token, its inputs by their parameters, and its options."""

    def __init__(
        self,
        token: str,
        inputs: Mapping[str, Input],
        outputs: Sequence[str] = (),
        is_custom: bool = True,
        secret_outputs: Sequence[str] = (),
        aliases: Sequence[str] = (),
        replace_on_changes: Sequence[str] = (),
        deprecation: str = "",
    ) -> None:
        self.token = token
        self.inputs = inputs
        self.outputs = outputs
        self.is_custom = is_custom
        self.deprecation = deprecation
        self._options: dict = {}
        if secret_outputs and is_custom:
            self._options["additional_secret_outputs"] = list(secret_outputs)
        if aliases:
            self._options["aliases"] = [pulumi.Alias(type_=alias) for alias in aliases]
        if replace_on_changes:
            self._options["replace_on_changes"] = list(replace_on_changes)

    def read(self, args_type: type, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Returns the properties and the options of a new resource."""
        if self.deprecation:
            warnings.warn(self.deprecation, DeprecationWarning, stacklevel=3)
            pulumi.log.warn(f"{self.token} is deprecated: {self.deprecation}")
        values = self._bind(args_type, args, kwargs)
        state = values.pop("__props__", None)
        opts = _merge_resource_options(values.pop("opts", None), self.is_custom)
        if opts.id is None:
            if state is not None:
                raise TypeError("__props__ is only valid for an existing resource with opts.id")
            state = self._create_properties(args_type, values, opts)
        elif not self.is_custom:
            raise ValueError("ComponentResource classes do not support opts.id")
        return state, pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(**self._options))

    def _bind(self, args_type: type, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict:
        """Returns the arguments by their parameters. They may be one object of `args_type`."""
        values = dict(kwargs)
        if args and isinstance(args[0], args_type):
            found, args = args[0], args[1:]
        elif isinstance(values.get("args"), args_type):
            found = values.pop("args")
        else:
            found = None
        names = ["opts", *self.inputs]
        if len(args) > len(names):
            raise TypeError(f"{self.token} has too many arguments")
        values.update(zip(names, args))
        unknown = [name for name in values if name not in (*names, "__props__")]
        if unknown:
            raise TypeError(f"{self.token} got an unexpected argument '{unknown[0]}'")
        if found is not None:
            for name, described in self.inputs.items():
                values[name] = found.__dict__.get(described.property or name)
        return values

    def _create_properties(self, args_type: type, values: Mapping[str, Any], opts: Any) -> Any:
        properties: dict = {name: None for name in self.outputs}
        for name, described in self.inputs.items():
            value = described.read(values.get(name))
            if described.is_required and value is None and not opts.urn:
                raise TypeError(f"Missing required property '{name}'")
            properties[described.property or name] = value
        return create_state(args_type, properties)


def create_state(state_type: Any, properties: Mapping[str, Any]) -> Any:
    """Creates an object of an input type without its checks, also with other properties."""
    state = state_type.__new__(state_type)
    state.__dict__.update(properties)
    return state


def call_function(token: str, args: Mapping[str, Any], opts: Any, result: Any) -> Any:
    """Calls a function, and returns its result as an object of an output type."""
    options = pulumi.InvokeOptions.merge(pulumi.InvokeOptions(**_defaults), opts)
    returned = pulumi.runtime.invoke(token, args, options, typ=result, package_ref=get_package())
    # The getters of the result would report deprecated properties that the program does not read.
    return {} if returned.value is None else returned.value.__dict__


def call_single_function(token: str, args: Mapping[str, Any], opts: Any) -> Any:
    """Calls a function whose result is a single value."""
    options = pulumi.InvokeOptions.merge(pulumi.InvokeOptions(**_defaults), opts)
    return pulumi.runtime.invoke_single(token, args, options, package_ref=get_package()).value


def call_output_function(token: str, args: Mapping[str, Any], opts: Any, result: Any) -> Any:
    """Calls a function with outputs. `result`: its output type, or None for a single value."""
    options = pulumi.InvokeOutputOptions.merge(pulumi.InvokeOptions(**_defaults), opts)
    package = get_package()
    if result is None:
        return pulumi.runtime.invoke_output_single(token, args, options, package_ref=package)
    return pulumi.runtime.invoke_output(token, args, options, typ=result, package_ref=package)


def import_lazily(package: str, names: Sequence[str]) -> Callable[[str], Any]:
    """Returns the function `__getattr__` of a module, which imports modules when they are used."""

    def get_module(name: str) -> Any:
        if name in names:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return get_module


class _Module(pulumi.runtime.ResourceModule):
    def __init__(self, classes: Mapping[str, str]) -> None:
        self._classes = classes

    def version(self) -> VersionInfo:
        return VersionInfo.parse(_version)

    def construct(self, name: str, typ: str, urn: str) -> pulumi.Resource:
        if typ not in self._classes:
            raise Exception(f"unknown resource type {typ}")
        module, _, class_name = self._classes[typ].rpartition(".")
        resource_class = getattr(importlib.import_module(module), class_name)
        return resource_class(name, pulumi.ResourceOptions(urn=urn))


class _Package(pulumi.runtime.ResourcePackage):
    def __init__(self, provider_class: str) -> None:
        self._provider_class = provider_class

    def version(self) -> VersionInfo:
        return VersionInfo.parse(_version)

    def construct_provider(self, name: str, typ: str, urn: str) -> pulumi.ProviderResource:
        module, _, class_name = self._provider_class.rpartition(".")
        provider_class = getattr(importlib.import_module(module), class_name)
        return provider_class(name, pulumi.ResourceOptions(urn=urn))


def register_types(
    package: str, provider_class: Optional[str], classes: Mapping[str, str]
) -> None:
    """Lets references to resources in outputs become objects of their classes."""
    if provider_class is not None:
        pulumi.runtime.register_resource_package(package, _Package(provider_class))
    for module in {token.split(":")[1] for token in classes}:
        pulumi.runtime.register_resource_module(package, module, _Module(classes))
