package main

import (
	"fmt"
	"math"

	"github.com/zclconf/go-cty/cty"
)

// form is a neutral description of a value, which uses none of the codecs under test.
type form struct {
	Kind        string          `json:"kind"`
	Type        *cty.Type       `json:"type,omitempty"`
	Text        string          `json:"text,omitempty"`
	IsTrue      bool            `json:"isTrue,omitempty"`
	Items       []form          `json:"items,omitempty"`
	Entries     map[string]form `json:"entries,omitempty"`
	Refinements *refinements    `json:"refinements,omitempty"`
}

type refinements struct {
	NotNull bool   `json:"notNull,omitempty"`
	Prefix  string `json:"prefix,omitempty"`
	Lower   *bound `json:"lower,omitempty"`
	Upper   *bound `json:"upper,omitempty"`
	Min     int    `json:"min,omitempty"`
	Max     *int   `json:"max,omitempty"`
}

type bound struct {
	Text        string `json:"text"`
	IsInclusive bool   `json:"isInclusive"`
}

func (f form) build() (cty.Value, error) {
	switch f.Kind {
	case "null":
		return cty.NullVal(*f.Type), nil
	case "unknown":
		return f.buildUnknown()
	case "string":
		return cty.StringVal(f.Text), nil
	case "number":
		return parseNumber(f.Text)
	case "bool":
		return cty.BoolVal(f.IsTrue), nil
	case "list", "set", "tuple":
		return f.buildSequence()
	case "map", "object":
		return f.buildMapping()
	}
	return cty.NilVal, fmt.Errorf("unknown kind %q", f.Kind)
}

func parseNumber(text string) (cty.Value, error) {
	switch text {
	case "+Inf":
		return cty.PositiveInfinity, nil
	case "-Inf":
		return cty.NegativeInfinity, nil
	}
	return cty.ParseNumberVal(text)
}

func (f form) buildUnknown() (cty.Value, error) {
	value := cty.UnknownVal(*f.Type)
	if f.Refinements == nil {
		return value, nil
	}
	builder := value.Refine()
	if f.Refinements.NotNull {
		builder = builder.NotNull()
	}
	if f.Refinements.Prefix != "" {
		builder = builder.StringPrefixFull(f.Refinements.Prefix)
	}
	if f.Refinements.Lower != nil {
		number, err := parseNumber(f.Refinements.Lower.Text)
		if err != nil {
			return cty.NilVal, err
		}
		builder = builder.NumberRangeLowerBound(number, f.Refinements.Lower.IsInclusive)
	}
	if f.Refinements.Upper != nil {
		number, err := parseNumber(f.Refinements.Upper.Text)
		if err != nil {
			return cty.NilVal, err
		}
		builder = builder.NumberRangeUpperBound(number, f.Refinements.Upper.IsInclusive)
	}
	if f.Refinements.Min > 0 {
		builder = builder.CollectionLengthLowerBound(f.Refinements.Min)
	}
	if f.Refinements.Max != nil {
		builder = builder.CollectionLengthUpperBound(*f.Refinements.Max)
	}
	return builder.NewValue(), nil
}

func (f form) buildSequence() (cty.Value, error) {
	items := make([]cty.Value, len(f.Items))
	for index, item := range f.Items {
		value, err := item.build()
		if err != nil {
			return cty.NilVal, err
		}
		items[index] = value
	}
	switch {
	case f.Kind == "tuple":
		return cty.TupleVal(items), nil
	case f.Kind == "list" && len(items) == 0:
		return cty.ListValEmpty(f.Type.ElementType()), nil
	case f.Kind == "list":
		return cty.ListVal(items), nil
	case len(items) == 0:
		return cty.SetValEmpty(f.Type.ElementType()), nil
	default:
		return cty.SetVal(items), nil
	}
}

func (f form) buildMapping() (cty.Value, error) {
	entries := make(map[string]cty.Value, len(f.Entries))
	for key, entry := range f.Entries {
		value, err := entry.build()
		if err != nil {
			return cty.NilVal, err
		}
		entries[key] = value
	}
	switch {
	case f.Kind == "object":
		return cty.ObjectVal(entries), nil
	case len(entries) == 0:
		return cty.MapValEmpty(f.Type.ElementType()), nil
	default:
		return cty.MapVal(entries), nil
	}
}

// describe returns the form of a value that the library decoded.
func describe(value cty.Value) *form {
	valueType := value.Type()
	result := form{Type: &valueType}
	switch {
	case !value.IsKnown():
		result.Kind = "unknown"
		result.Refinements = describeRefinements(value.Range())
	case value.IsNull():
		result.Kind = "null"
	case valueType == cty.String:
		result.Kind, result.Text = "string", value.AsString()
	case valueType == cty.Number:
		result.Kind, result.Text = "number", value.AsBigFloat().Text('f', -1)
	case valueType == cty.Bool:
		result.Kind, result.IsTrue = "bool", value.True()
	case valueType.IsListType(), valueType.IsSetType(), valueType.IsTupleType():
		result.Kind = "list"
		if valueType.IsSetType() {
			result.Kind = "set"
		} else if valueType.IsTupleType() {
			result.Kind = "tuple"
		}
		for items := value.ElementIterator(); items.Next(); {
			_, item := items.Element()
			result.Items = append(result.Items, *describe(item))
		}
	default:
		result.Kind = "object"
		if valueType.IsMapType() {
			result.Kind = "map"
		}
		result.Entries = map[string]form{}
		for entries := value.ElementIterator(); entries.Next(); {
			key, entry := entries.Element()
			result.Entries[key.AsString()] = *describe(entry)
		}
	}
	return &result
}

func describeRefinements(known cty.ValueRange) *refinements {
	constraint := known.TypeConstraint()
	if constraint == cty.DynamicPseudoType {
		return nil
	}
	result := refinements{NotNull: known.DefinitelyNotNull()}
	switch {
	case constraint == cty.String:
		result.Prefix = known.StringPrefix()
	case constraint == cty.Number:
		if number, isInclusive := known.NumberLowerBound(); number.IsKnown() && number != cty.NegativeInfinity {
			result.Lower = &bound{number.AsBigFloat().Text('f', -1), isInclusive}
		}
		if number, isInclusive := known.NumberUpperBound(); number.IsKnown() && number != cty.PositiveInfinity {
			result.Upper = &bound{number.AsBigFloat().Text('f', -1), isInclusive}
		}
	case constraint.IsCollectionType():
		result.Min = known.LengthLowerBound()
		if max := known.LengthUpperBound(); max != math.MaxInt {
			result.Max = &max
		}
	}
	return &result
}
