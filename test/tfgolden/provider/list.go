package main

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ---- list resources, actions, provider_meta

var listConfig = Kind{Attrs: []Attr{opt("prefix", str)}}
var poke = Kind{Attrs: []Attr{nameAttr}}
var metaConfig = Kind{Attrs: []Attr{opt("module_name", str)}}

// metaJ is the provider_meta of a request for the log; nothing where a module has none.
func metaJ(req obj, d *tfprotov6.DynamicValue) obj {
	if m := decode(d, metaConfig.T()); m != nil {
		req["provider_meta"] = m
	}
	return req
}

func (s *server) ValidateListResourceConfig(_ context.Context, q *tfprotov6.ValidateListResourceConfigRequest) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	r := &tfprotov6.ValidateListResourceConfigResponse{}
	if c, ok := decode(q.Config, listConfig.T()).(obj); ok && c["prefix"] == "invalid" {
		r.Diagnostics = []*diag{problem("Invalid prefix", "The prefix must not be \"invalid\".", "prefix")}
	}
	return r, nil
}

// ListResource lists the objects of a type by name.
func (s *server) ListResource(_ context.Context, q *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	k, t := s.kind(q.TypeName)
	c := decode(q.Config, listConfig.T()).(obj)
	prefix, _ := c["prefix"].(string)
	end, found := begin("ListResource", q.TypeName, prefix, obj{"config": c, "limit": q.Limit, "include_resource": q.IncludeResource}), []*Object{}
	files, _ := filepath.Glob(filepath.Join(os.Getenv("TFGOLD_CLOUD"), "objects", "*.json"))
	for _, f := range files {
		if o := readObject(f); o != nil && o.Type == q.TypeName && strings.HasPrefix(o.Name, prefix) {
			found = append(found, o)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].ID < found[j].ID })
	end(obj{"count": len(found)})
	return &tfprotov6.ListResourceServerStream{Results: func(yield func(tfprotov6.ListResourceResult) bool) {
		for _, o := range found {
			r := tfprotov6.ListResourceResult{DisplayName: o.Type + " " + o.Name, Identity: identity(k, o.Attrs)}
			if q.IncludeResource {
				r.Resource = encode(o.Attrs, t)
			}
			if fault("list", o.Name) {
				r.Diagnostics = []*diag{problem("List failed", "As asked.")}
			}
			if !yield(r) {
				return
			}
		}
	}}, nil
}

func (s *server) ValidateActionConfig(context.Context, *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	return &tfprotov6.ValidateActionConfigResponse{}, nil
}
func (s *server) PlanAction(_ context.Context, q *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	c := decode(q.Config, poke.T()).(obj)
	r := &tfprotov6.PlanActionResponse{}
	if fault("plan-poke", keyOf(c)) {
		r.Diagnostics = []*diag{problem("Plan failed", "As asked.", "name")}
	}
	begin("PlanAction", q.ActionType, keyOf(c), obj{"config": c})(obj{"diagnostics": diagsJ(r.Diagnostics)})
	return r, nil
}

// InvokeAction pokes the object of a name: its revision grows.
func (s *server) InvokeAction(_ context.Context, q *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	c := decode(q.Config, poke.T()).(obj)
	name := keyOf(c)
	end := begin("InvokeAction", q.ActionType, name, obj{"config": c})
	var events iter.Seq[tfprotov6.InvokeActionEvent] = func(yield func(tfprotov6.InvokeActionEvent) bool) {
		done := tfprotov6.CompletedInvokeActionEventType{}
		if !yield(tfprotov6.InvokeActionEvent{Type: tfprotov6.ProgressInvokeActionEventType{Message: "poking " + name}}) {
			return
		}
		if o := findObject("", name); o == nil || fault("poke", name) {
			done.Diagnostics = []*diag{problem("Cannot poke", "There is no "+name+".", "name")}
		} else {
			o.Rev++
			putObject(o)
		}
		end(obj{"diagnostics": diagsJ(done.Diagnostics)})
		yield(tfprotov6.InvokeActionEvent{Type: done})
	}
	return &tfprotov6.InvokeActionServerStream{Events: events}, nil
}
