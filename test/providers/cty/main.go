// Command cty answers requests of tests with the Go library that Terraform uses for its values.
// It reads one JSON object per line, and writes one per line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// request has two values of a declared type, and the forms of the first one that our codecs wrote.
type request struct {
	Declared cty.Type `json:"declared"`
	First    form     `json:"first"`
	Second   form     `json:"second"`
	Msgpack  []byte   `json:"msgpack"`
	JSON     string   `json:"json"`
}

// answer has the forms that the library writes, and what it read from our forms.
type answer struct {
	Msgpack      []byte `json:"msgpack"`
	JSON         string `json:"json"`
	FromMsgpack  *form  `json:"fromMsgpack,omitempty"`
	MsgpackError string `json:"msgpackError,omitempty"`
	FromJSON     *form  `json:"fromJson,omitempty"`
	JSONError    string `json:"jsonError,omitempty"`
	RawEqual     bool   `json:"rawEqual"`
	Equal        string `json:"equal"`
	Error        string `json:"error,omitempty"`
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 64<<20)
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	encoder := json.NewEncoder(output)
	for input.Scan() {
		var req request
		result := answer{}
		if err := json.Unmarshal(input.Bytes(), &req); err != nil {
			result.Error = err.Error()
		} else if err := protect(func() error { return respond(req, &result) }); err != nil {
			result.Error = err.Error()
		}
		if err := encoder.Encode(result); err != nil {
			panic(err)
		}
	}
}

// protect turns a panic into an error: the library panics on values of inconsistent types.
func protect(run func() error) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("panic: %v", thrown)
		}
	}()
	return run()
}

func respond(req request, result *answer) error {
	first, err := req.First.build()
	if err != nil {
		return err
	}
	second, err := req.Second.build()
	if err != nil {
		return err
	}
	if result.Msgpack, err = msgpack.Marshal(first, req.Declared); err != nil {
		return err
	}
	if text, err := ctyjson.Marshal(first, req.Declared); err == nil {
		result.JSON = string(text)
	}
	result.RawEqual = first.RawEquals(second)
	result.Equal = describeEquality(first.Equals(second))
	err = protect(func() error {
		value, err := msgpack.Unmarshal(req.Msgpack, req.Declared)
		if err == nil {
			result.FromMsgpack = describe(value)
		}
		return err
	})
	if err != nil {
		result.MsgpackError = err.Error()
	}
	if req.JSON == "" {
		return nil
	}
	err = protect(func() error {
		value, err := ctyjson.Unmarshal([]byte(req.JSON), req.Declared)
		if err == nil {
			result.FromJSON = describe(value)
		}
		return err
	})
	if err != nil {
		result.JSONError = err.Error()
	}
	return nil
}

func describeEquality(value cty.Value) string {
	switch {
	case !value.IsKnown():
		return "unknown"
	case value.True():
		return "true"
	default:
		return "false"
	}
}
